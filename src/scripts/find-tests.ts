import { join } from 'node:path'
import { didYouMean, quote } from '../core/kind.ts'
import { agentPrefix, partsOf } from './find-agent-folder.ts'
import type { ScriptPlace } from './find-process.ts'
import { type NotFound, notFound, shortList } from './not-found.ts'
import type { ScriptFunction } from './parse-script.ts'
import { type ScriptFile, shownPath } from './script-files.ts'
import { modulesIn } from './script-modules.ts'

/** A file of tests. */
export interface FoundTests {
  readonly kind: 'found'
  readonly script: ScriptFile
  /** Absolute. */
  readonly file: string
  readonly agent: { readonly id: string; readonly folder: string }
  /** Its functions whose names start with `Test`. */
  readonly tests: readonly ScriptFunction[]
}

/**
 * `scripts.<agent>.<module>` is `src/<module>_test.ts` of that agent; the source module itself need not be there.
 * Source: spec yao 7, "Resolution" and "Discovery".
 */
export async function findTests(input: string, { root, cwd, files }: ScriptPlace): Promise<FoundTests | NotFound> {
  const [group, ...parts] = partsOf(input) ?? []
  const [module, ...before] = [...parts].reverse()
  if (group !== 'scripts' || module === undefined || before.length === 0) {
    return notFound(
      `${quote(input)} names no script test`,
      'expected scripts.<agent>.<module>, such as scripts.hello.index',
    )
  }
  const agent = agentPrefix(parts, root) ?? {
    folder: join(root, 'assistants', ...before.reverse()),
    id: before.join('.'),
    rest: [module],
  }
  const folder = join(agent.folder, 'src')
  const stem = `${agent.rest.join('/')}_test`
  const file = await files.firstOf([join(folder, `${stem}.ts`), join(folder, `${stem}.js`)])
  const read = file === undefined ? undefined : await files.read(file)
  if (file === undefined || !read) return await noFile(stem, folder, cwd)
  if (read.kind === 'broken') return { kind: 'not-found', problem: read.problem }
  const { script } = read
  const tests = script.functions.filter(({ name }) => name.startsWith('Test'))
  if (tests.length > 0) return { kind: 'found', script, file, agent: { id: agent.id, folder: agent.folder }, tests }
  const names = script.functions.map(({ name }) => name)
  const hint = names.length === 0 ? 'a test is a function whose name starts with Test' : `it has ${shortList(names)}`
  return { kind: 'not-found', problem: { file: script.path, message: 'there is no test in this file', hint } }
}

async function noFile(stem: string, folder: string, cwd: string): Promise<NotFound> {
  const names = (await modulesIn(folder)).flatMap(({ name }) => (name.endsWith('_test') ? [name] : []))
  const known = names.length === 0 ? undefined : `there are ${shortList(names)}`
  return notFound(
    `there is no script test ${shownPath(join(folder, `${stem}.ts`), cwd)}`,
    didYouMean(stem, names) ?? known,
  )
}
