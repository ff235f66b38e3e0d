import { join } from 'node:path'
import { didYouMean, quote } from '../core/kind.ts'
import type { ScriptPlace } from './find-process.ts'
import { type FoundFunction, functionIn, type NotFound, notFound, shortList } from './not-found.ts'
import { type ScriptFile, shownPath } from './script-files.ts'
import { modulesIn, type ScriptModule } from './script-modules.ts'

/**
 * What runs before or after cases: `Fn`, `file_test.Fn`, `src/file_test.Fn` or `dir/file_test.Fn`, below the agent's
 * `src`; `_test` may be left out. Source: spec yao 10.2.
 */
export async function findHook(
  reference: string,
  agentFolder: string,
  place: ScriptPlace,
): Promise<FoundFunction | NotFound> {
  const parsed = /^(?:(?:\.\/)?(?:src\/)?([^\s:.]+?)(?:_test)?(?:\.ts|\.js)?\.)?([\w$]+)$/.exec(reference)
  const [, module, name] = parsed ?? []
  if (name === undefined) {
    return notFound(`${quote(reference)} names no function of a script test`, 'expected Fn or file_test.Fn')
  }
  const folder = join(agentFolder, 'src')
  const tests = (await modulesIn(folder)).filter((test) => test.name.endsWith('_test'))
  return module === undefined
    ? await anywhere(name, tests, { ...place, folder })
    : await inModule(module, name, { ...place, folder, tests })
}

interface TestFolder extends ScriptPlace {
  readonly folder: string
}

async function inModule(
  module: string,
  name: string,
  { folder, tests, files, cwd }: TestFolder & { readonly tests: readonly ScriptModule[] },
): Promise<FoundFunction | NotFound> {
  const found = tests.find((test) => test.name === `${module}_test`)
  const read = found && (await files.read(found.file))
  if (read?.kind === 'broken') return { kind: 'not-found', problem: read.problem }
  if (read) return functionIn(read.script, name)
  const names = tests.map((test) => test.name)
  const known = names.length === 0 ? undefined : `there are ${shortList(names)}`
  const hint = didYouMean(`${module}_test`, names) ?? known
  return notFound(`there is no ${module}_test.ts in ${shownPath(folder, cwd)}`, hint)
}

/** The function of this name, wherever it is; of several it cannot be told which one is meant. */
async function anywhere(
  name: string,
  tests: readonly ScriptModule[],
  { folder, files, cwd }: TestFolder,
): Promise<FoundFunction | NotFound> {
  const scripts: ScriptFile[] = []
  for (const { file } of tests) {
    const read = await files.read(file)
    if (read?.kind === 'script') scripts.push(read.script)
  }
  const having = scripts.filter(({ functions }) => functions.some((one) => one.name === name))
  const [script, ...others] = having
  if (script && others.length === 0) return functionIn(script, name)
  if (script) {
    const hint = 'name the file as well, such as file_test.Fn'
    return notFound(`${quote(name)} is in ${shortList(having.map(({ path }) => path))}`, hint)
  }
  const names = scripts.flatMap(({ functions }) => functions.map((one) => one.name))
  const known = names.length === 0 ? undefined : `there are ${shortList(names)}`
  const shown = shownPath(folder, cwd)
  return notFound(
    `there is no function ${quote(name)} in the *_test.ts files of ${shown}`,
    didYouMean(name, names) ?? known,
  )
}
