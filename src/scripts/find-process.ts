import { join } from 'node:path'
import { didYouMean, quote } from '../core/kind.ts'
import { agentPrefix, partsOf } from './find-agent-folder.ts'
import { type FoundFunction, functionIn, type NotFound, notFound, shortList } from './not-found.ts'
import { type ScriptFiles, shownPath } from './script-files.ts'
import { modulesIn } from './script-modules.ts'

export interface ScriptPlace {
  /** Absolute path of the application's root. */
  readonly root: string
  readonly cwd: string
  readonly files: ScriptFiles
}

/**
 * `scripts.a.b.Fn` is `Fn` of `scripts/a/b.ts`; `agents.<id>.<script path>.<Fn>` is that of the agent's
 * `src/<script path>.ts`, in any case of letters. Source: spec yao 4.3, `script`.
 */
export async function findProcess(name: string, place: ScriptPlace): Promise<FoundFunction | NotFound> {
  const [group, ...rest] = partsOf(name) ?? []
  if ((group !== 'scripts' && group !== 'agents') || rest.length < 2) {
    return notFound(`${quote(name)} is not the name of a script's function`, EXPECTED)
  }
  const path = rest.slice(0, -1)
  const wanted = rest.at(-1) ?? ''
  if (group === 'scripts')
    return await inFolder(path.join('/'), wanted, { ...place, folder: join(place.root, 'scripts') })
  const agent = agentPrefix(path, place.root)
  if (!agent) {
    const shown = shownPath(join(place.root, 'assistants'), place.cwd)
    return notFound(`${quote(name)}: no agent of this name in ${shown}`, EXPECTED)
  }
  return await inFolder(agent.rest.join('/'), wanted, { ...place, folder: join(agent.folder, 'src'), isAgent: true })
}

const EXPECTED = 'expected scripts.<module>.<function> or agents.<id>.<script>.<function>'

interface Folder extends ScriptPlace {
  readonly folder: string
  readonly isAgent?: boolean
}

async function inFolder(
  module: string,
  wanted: string,
  { folder, files, cwd, isAgent = false }: Folder,
): Promise<FoundFunction | NotFound> {
  // Tests are no part of the agent's processes.
  const modules = (await modulesIn(folder)).filter(({ name }) => !isAgent || !name.endsWith('_test'))
  const found =
    modules.find(({ name }) => name === module) ??
    (isAgent ? modules.find(({ name }) => name.toLowerCase() === module.toLowerCase()) : undefined)
  const read = found && (await files.read(found.file))
  if (!read) {
    const names = modules.map(({ name }) => name)
    const known = names.length === 0 ? undefined : `there are ${shortList(names)}`
    const hint = didYouMean(module, names) ?? known
    return notFound(`there is no script ${quote(module)} in ${shownPath(folder, cwd)}`, hint)
  }
  return read.kind === 'broken' ? { kind: 'not-found', problem: read.problem } : functionIn(read.script, wanted)
}
