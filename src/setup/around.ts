import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Config } from '../config/config.ts'
import type { Problem } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { type ContextFile, resolveIdentity } from '../core/identity.ts'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { quote } from '../core/kind.ts'
import type { Case, Suite } from '../core/suite.ts'
import type { Around, EndedRun } from '../runner/plan.ts'
import { findAgentFolder } from '../suites/index.ts'
import type { Target } from '../targets/index.ts'
import { type CallFunction, openTestFunctions, type TestFunctions } from './test-functions.ts'

/** Functions that run before and after cases, and before and after everything. Source: spec yao 10.2. */
export interface OpenAround {
  /** What runs around a case; adds what is wrong with its references to `problems`. */
  of(item: Case, place: Place, problems: Problem[]): Promise<Around | undefined>
  /** What runs around all of them. */
  all(places: readonly Place[], problems: Problem[]): Promise<AroundAll>
  dispose(): Promise<void>
}

export interface AroundAll {
  /** What it gives is for `after`. Throws a TargetError: nothing is run. */
  readonly before?: (cases: readonly Case[]) => Promise<Json>
  /** Throws a TargetError, which is a warning: everything is over. */
  readonly after?: (ended: readonly EndedRun[], prepared: Json) => Promise<void>
}

interface Place {
  readonly suite: Suite
  /** Absent when it could not be opened. */
  readonly target: Target | undefined
}

interface AroundScope {
  readonly config: Config
  readonly host: Host
  readonly context: ContextFile | undefined
}

export function openAround({ config, host, context }: AroundScope): OpenAround {
  const identityOf = (item?: Case) =>
    resolveIdentity({
      flags: { user: config.user, team: config.team },
      ...(context === undefined ? {} : { context }),
      ...(item === undefined ? {} : { case: item }),
    })
  const ctxOf = (item?: Case): JsonObject => {
    const { locale, authorized, metadata } = identityOf(item)
    return { locale, authorized, metadata }
  }
  const functions = openTestFunctions({ host, authorized: identityOf().authorized })
  return {
    async of(item, place, problems) {
      if (item.skip !== undefined || (item.before ?? item.after) === undefined) return undefined
      const folder = await agentFolderOf(place)
      const before = await ofField(item, 'before', { functions, folder, problems })
      const after = await ofField(item, 'after', { functions, folder, problems })
      return aroundOf(item, ctxOf(item), { ...(before ? { before } : {}), ...(after ? { after } : {}) })
    },
    async all(places, problems) {
      const { 'before-all': first, 'after-all': last } = config
      if ((first ?? last) === undefined) return {}
      const folders = await foldersOf(places)
      const before = await ofOption('before-all', first, { functions, folders, problems })
      const after = await ofOption('after-all', last, { functions, folders, problems })
      // An interruption must not keep what was set up from being put away.
      const unstoppable = new AbortController().signal
      return {
        ...(before
          ? { before: async (cases) => dataOf(await before([ctxOf(), cases.map(caseJson)], host.signal)) }
          : {}),
        ...(after ? { after: async (ended, data) => void (await after([ctxOf(), ended, data], unstoppable)) } : {}),
      }
    },
    dispose: () => functions.dispose(),
  }
}

function aroundOf(
  item: Case,
  ctx: JsonObject,
  { before, after }: { readonly before?: CallFunction; readonly after?: CallFunction },
): Around {
  return {
    ...(before ? { before: async (signal) => dataOf(await before([ctx, caseJson(item)], signal)) } : {}),
    ...(after
      ? { after: async (ended, data, signal) => void (await after([ctx, caseJson(item), ended, data], signal)) }
      : {}),
  }
}

interface FieldScope {
  readonly functions: TestFunctions
  readonly folder: string | undefined
  readonly problems: Problem[]
}

async function ofField(item: Case, field: 'before' | 'after', { functions, folder, problems }: FieldScope) {
  const reference = item[field]
  if (reference === undefined) return undefined
  const found = await functions.find(reference, field, folder)
  if (typeof found === 'function') return found
  problems.push({ ...item.location, field, ...found })
  return undefined
}

interface OptionScope {
  readonly functions: TestFunctions
  readonly folders: readonly string[]
  readonly problems: Problem[]
}

/** Of the one agent that has such a function. */
async function ofOption(
  option: 'before-all' | 'after-all',
  reference: string | undefined,
  { functions, folders, problems }: OptionScope,
): Promise<CallFunction | undefined> {
  if (reference === undefined) return undefined
  const places = folders.length === 0 ? [undefined] : folders
  const found = await Promise.all(places.map((folder) => functions.find(reference, option, folder)))
  const calls = found.filter((one) => typeof one === 'function')
  if (calls.length === 1) return calls[0]
  const [problem] = found.filter((one) => typeof one !== 'function')
  const several = { message: `${quote(reference)} is a function of several agents`, hint: 'run their suites apart' }
  problems.push({ field: `--${option}`, ...(problem && calls.length === 0 ? problem : several) })
  return undefined
}

async function foldersOf(places: readonly Place[]): Promise<string[]> {
  const folders = await Promise.all(places.map(agentFolderOf))
  return [...new Set(folders.filter((folder) => folder !== undefined))]
}

/** The tested agent's folder, else the one that the suite lies in. */
async function agentFolderOf({ suite, target }: Place): Promise<string | undefined> {
  if (target?.agentFolder !== undefined) return target.agentFolder
  const isFolder = (await stat(suite.path).catch(() => undefined))?.isDirectory() ?? false
  return findAgentFolder(isFolder ? suite.path : dirname(suite.path))
}

/** The `data` member of what a function returned, else all of it. */
function dataOf(returned: Json): Json {
  return isJsonObject(returned) && Object.hasOwn(returned, 'data') ? (returned['data'] ?? null) : returned
}

function caseJson({ id, input, metadata, assertions, conversation }: Case): JsonObject {
  const simulator = conversation?.simulator
  return {
    id,
    input,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(assertions.length === 0 ? {} : { assert: assertions as unknown as Json }),
    ...(simulator === undefined ? {} : { simulator: { ...simulator } }),
  }
}
