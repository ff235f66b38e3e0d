import { createHash, type Hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Case } from '../core/suite.ts'
import type { LoadScript } from '../sandbox/sandbox.ts'
import type { Target } from '../targets/index.ts'

/** As many as a case's own fingerprint has. */
const FINGERPRINT_BYTES = 8
/** Of an agent's folder; of what is beyond them only names and sizes count. */
const MOST_BYTES = 16 * 1024 ** 2
const MOST_FILES = 2_000
/** Scripts that import each other are looked into as far as this. */
const MOST_SCRIPTS = 200

/** Hash of the case's definition and of everything that judges its runs, each as its identity. */
export function judgedFingerprint({ fingerprint }: Pick<Case, 'fingerprint'>, identities: readonly string[]): string {
  const hash = createHash('sha256').update(fingerprint)
  for (const identity of [...identities].sort()) hash.update(`\n${identity}`)
  return shortened(hash)
}

/** An agent that judges, or plays the user: its name, its model, and what its folder says it is to do. */
export async function agentIdentity(target: Target, item: Case): Promise<string> {
  const model = target.requestedModel?.(item, item.options) ?? ''
  const hash = createHash('sha256').update(JSON.stringify([target.label, model]))
  if (target.agentFolder !== undefined) await addFolder(hash, target.agentFolder)
  return `agent ${shortened(hash)}`
}

/** Its own tests, and other agents below it, are no part of an agent. */
async function addFolder(hash: Hash, folder: string): Promise<void> {
  let [files, bytes] = [0, 0]
  const visit = async (path: string, name: string): Promise<void> => {
    const entries = await readdir(path, { withFileTypes: true })
    if (name !== '' && entries.some((entry) => entry.name === 'package.yao')) return
    for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
      const inner = name === '' ? entry.name : `${name}/${entry.name}`
      if (entry.isDirectory() && entry.name !== 'tests') await visit(join(path, entry.name), inner)
      if (!entry.isFile() || entry.name.endsWith('_test.ts') || files >= MOST_FILES) continue
      files += 1
      const { size } = await stat(join(path, entry.name))
      bytes += size
      hash.update(JSON.stringify([inner, size]))
      if (bytes <= MOST_BYTES) hash.update(await readFile(join(path, entry.name)))
    }
  }
  await visit(folder, '')
}

/** A script with those that it imports; what cannot be read is told elsewhere, and counts by its name. */
export async function scriptIdentity(load: LoadScript, file: string): Promise<string> {
  const hash = createHash('sha256')
  const known = new Set<string>()
  const visit = async (specifier: string, from: string | undefined): Promise<void> => {
    const script = await load(specifier, from).catch(() => undefined)
    // A path may be that of this machine; what is imported is named by the file itself.
    if (from !== undefined) hash.update(`\n${specifier}\n`)
    if (!script || known.has(script.path) || known.size >= MOST_SCRIPTS) return
    known.add(script.path)
    hash.update(script.code)
    for (const [, imported = ''] of script.code.matchAll(IMPORT)) await visit(imported, script.path)
  }
  await visit(file, undefined)
  return `script ${shortened(hash)}`
}

/** How the compiler writes an import. */
const IMPORT = /\brequire\(\s*['"]([^'"]{1,500})['"]\s*\)/g

function shortened(hash: Hash): string {
  return hash.digest().toString('hex', 0, FINGERPRINT_BYTES)
}
