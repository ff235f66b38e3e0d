import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ROOT } from './bundle.ts'

const SOURCES = ['src/sandbox', 'scripts/sandbox-bundle.mjs', 'package-lock.json']

/** Path of the sandbox's program, built from the sources of now; the same sources are built once. */
export async function buildSandboxProgram(): Promise<string> {
  const hash = createHash('sha256')
  for (const source of SOURCES) for (const file of await filesOf(join(ROOT, source))) hash.update(await readFile(file))
  const folder = join(ROOT, 'node_modules', '.cache', 'agent-test-sandbox', hash.digest('hex').slice(0, 20))
  const program = join(folder, 'sandbox.mjs')
  const isBuilt = await stat(program).then(
    () => true,
    () => false,
  )
  if (isBuilt) return program
  const script = pathToFileURL(join(ROOT, 'scripts', 'sandbox-bundle.mjs')).href
  const { bundleSandbox } = (await import(script)) as { bundleSandbox: (file: string) => Promise<void> }
  await bundleSandbox(program)
  return program
}

async function filesOf(path: string): Promise<readonly string[]> {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.sort()
}
