import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type ContextFile, resolveIdentity } from '../core/identity.ts'
import type { Means } from '../core/means.ts'
import type { Case, Suite } from '../core/suite.ts'
import { scriptRoot } from '../scripts/script-root.ts'
import { findAppRoot } from '../suites/index.ts'
import type { Target } from '../targets/index.ts'
import { type AskedAgents, askedIn, openAskedAgents } from './asked-agents.ts'
import { type CalledScripts, calledIn, openCalledScripts } from './called-scripts.ts'
import { judgedFingerprint } from './judged-by.ts'
import { openPlugins, type Plugins, pluginsOf } from './plugins.ts'

/** What cases may use beside their target, opened once for each application. */
export interface OpenMeans {
  /** Opens what the case needs; adds what is wrong with that to `problems`. */
  of(item: Case, place: Place, problems: Problem[]): Promise<Means | undefined>
  /** The fingerprint of a case with whatever judges it; undefined where nothing does but its own definition. */
  fingerprint(item: Case, place: Place): Promise<string | undefined>
  /** Absolute paths of files that are read while cases run. */
  reads(): Promise<string[]>
  dispose(): Promise<void>
}

interface Place {
  readonly suite: Suite
  /** Absent when it could not be opened. */
  readonly target: Target | undefined
}

interface MeansScope {
  readonly config: Config
  readonly host: Host
  readonly context: ContextFile | undefined
}

export function openMeans({ config, host, context }: MeansScope): OpenMeans {
  const agents = new Map<string | undefined, AskedAgents>()
  const scripts = new Map<string, CalledScripts>()
  const roots = new Map<Suite, Promise<string | undefined>>()
  const rootOf = async ({ suite, target }: Place): Promise<string | undefined> => {
    if (target?.application !== undefined) return target.application
    const root = roots.get(suite) ?? applicationOf(suite, host)
    roots.set(suite, root)
    return await root
  }
  let opened: Plugins | undefined
  const pluginsOnce = (): Plugins => {
    opened ??= openPlugins(host)
    return opened
  }
  const agentsOf = (root: string | undefined): AskedAgents => {
    const known = agents.get(root) ?? openAskedAgents({ host, root, ...settingsOf(config, host, context) })
    agents.set(root, known)
    return known
  }
  const callingOf = (root: string): CalledScripts => {
    const { authorized } = resolveIdentity({ ...settingsOf(config, host, context), case: {} })
    const known = scripts.get(root) ?? openCalledScripts({ host, root, authorized })
    scripts.set(root, known)
    return known
  }
  const scriptRootOf = (root: string | undefined, { suite }: Place) => root ?? scriptRoot(dirname(suite.path), host)
  return {
    async of(item, place, problems) {
      if (item.skip !== undefined) return undefined
      const [asked, called, own] = [askedIn(item), calledIn(item), pluginsOf(item)]
      // What is its own target, as a script test, says while it runs which agent it asks.
      const mayAsk = asked.length > 0 || place.suite.target !== undefined
      if (!mayAsk && called.length + own.length === 0) return undefined
      const root = await rootOf(place)
      const found = mayAsk ? agentsOf(root) : undefined
      const calling = called.length === 0 ? undefined : callingOf(scriptRootOf(root, place))
      const plugins = own.length === 0 ? undefined : pluginsOnce()
      const wrong = [
        ...(await allProblems(asked, found)),
        ...(await allProblems(called, calling)),
        ...(await allProblems(own, plugins)),
      ]
      problems.push(
        ...wrong.map((problem) => (problem.file === undefined ? { ...item.location, ...problem } : problem)),
      )
      return usable(found, calling, plugins)
    },
    async fingerprint(item, place) {
      const [asked, called, own] = [askedIn(item), calledIn(item), pluginsOf(item)]
      if (item.skip !== undefined || asked.length + called.length + own.length === 0) return undefined
      const root = await rootOf(place)
      const calling = called.length === 0 ? undefined : callingOf(scriptRootOf(root, place))
      const identities = [
        ...(await allIdentities(asked, asked.length === 0 ? undefined : agentsOf(root))),
        ...(await allIdentities(called, calling)),
        ...(await allIdentities(own, own.length === 0 ? undefined : pluginsOnce())),
      ]
      return judgedFingerprint(item, identities)
    },
    reads: async () => (await Promise.all([...agents.values()].map((found) => found.reads()))).flat(),
    async dispose() {
      const all = [...agents.values(), ...scripts.values(), ...(opened ? [opened] : [])]
      await Promise.all(all.map((found) => found.dispose()))
    },
  }
}

function usable(asked?: AskedAgents, called?: CalledScripts, plugins?: Plugins): Means {
  return {
    ...(asked ? { ask: asked.ask } : {}),
    ...(called ? { call: called.call } : {}),
    ...(plugins ? { plugin: plugins.call } : {}),
  }
}

/** One after the other: what is opened for one is there for the next. */
async function allProblems<T>(
  needed: readonly T[],
  checks: { problems(one: T): Promise<readonly Problem[]> } | undefined,
): Promise<Problem[]> {
  const found: Problem[] = []
  for (const one of needed) found.push(...((await checks?.problems(one)) ?? []))
  return found
}

async function allIdentities<T>(
  needed: readonly T[],
  judges: { identity(one: T): Promise<string> } | undefined,
): Promise<string[]> {
  return judges ? await Promise.all(needed.map((one) => judges.identity(one))) : []
}

function settingsOf({ record, connector, user, team, price }: Config, host: Host, context: ContextFile | undefined) {
  return {
    flags: { user, team },
    prices: price,
    ...(record === undefined ? {} : { record: resolve(host.cwd, record) }),
    ...(connector === undefined ? {} : { connector }),
    ...(context === undefined ? {} : { context }),
  }
}

/** The application that was named, or that the suite lies in. */
async function applicationOf({ path }: Suite, { cwd, env }: Host): Promise<string | undefined> {
  const given = env['YAO_ROOT'] ?? ''
  if (given !== '') return resolve(cwd, given)
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false
  return findAppRoot(isFolder ? path : dirname(path))
}
