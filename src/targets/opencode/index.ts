import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type Problem, problemsError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { quote } from '../../core/kind.ts'
import type { Case } from '../../core/suite.ts'
import { defineTarget, type TargetContext } from '../target.ts'
import { findBinary, findRipgrep } from './binary.ts'
import { envProblems } from './environment.ts'
import { settingsInCheckout } from './in-checkout.ts'
import { openOffers } from './offers.ts'
import { planOf } from './plan.ts'
import { runCase } from './run-case.ts'
import { attachServer, type Server, startServer } from './server.ts'
import { openServers } from './servers.ts'
import { millisecondsOf, type Settings, schema } from './settings.ts'

/** Agents of an OpenCode project, each run in a session and a copy of its own. */
export const opencode = defineTarget({
  type: 'opencode',
  schema,
  needsNoValue: true,
  fromValue: (value) => (value.trim() === '' ? {} : { url: value.trim() }),
  async create(settings, context) {
    const { host } = context
    const problems = await settingProblems(settings, host)
    const start = await starter(settings, host, problems)
    if (problems.length > 0 || !start) throw problemsError('INVALID_TARGET', problems)
    const servers = openServers(start, host)
    const path = (name: string | undefined) => (name === undefined ? undefined : resolve(host.cwd, name))
    const project = {
      directory: path(settings.directory),
      workspace: path(settings.workspace),
      suiteOf: (item: Case) => resolve(host.cwd, item.location.file),
    }
    const wishes = { connector: context.connector, target: settings }
    const offers = openOffers({ servers, project, wishes, isAttached: settings.url !== undefined, host })
    const limits = {
      inactivityMs: millisecondsOf(settings.inactivity) ?? 0,
      ...(settings.timeout === undefined ? {} : { turnMs: millisecondsOf(settings.timeout) ?? 0 }),
    }
    return {
      label: labelOf(settings, context),
      runsSessions: true,
      check: offers.check,
      unusedOptions: ({ options }) =>
        Object.entries(options).flatMap(([name, value]) => {
          const isUsed = name === 'connector' || value === undefined || value === false
          return isUsed ? [] : [{ field: `options.${name}`, fate: 'an OpenCode session knows nothing of it' }]
        }),
      requestedModel(item, options) {
        const { model, defaultModel } = planOf(item)
        return model ?? options.connector ?? settings.model ?? defaultModel
      },
      execute: (request) => runCase(request, { servers, offers, limits, context }),
      dispose: servers.stop,
    }
  },
  inCheckout: settingsInCheckout,
})

function labelOf({ agent, model }: Settings, { connector }: TargetContext): string {
  const asked = connector ?? model
  return `opencode${agent === undefined ? '' : `:${agent}`}${asked === undefined ? '' : `#${asked}`}`
}

async function settingProblems(settings: Settings, host: Host): Promise<Problem[]> {
  const problems = envProblems(settings.env, host)
  for (const name of ['directory', 'workspace'] as const) {
    const path = settings[name]
    const found = path === undefined ? undefined : await stat(resolve(host.cwd, path)).catch(() => null)
    if (found === undefined) continue
    const field = `target.${name}`
    if (found === null) problems.push({ field, message: `${quote(String(path))} does not exist` })
    else if (!found.isDirectory()) problems.push({ field, message: `${quote(String(path))} is no folder` })
  }
  const { catalogue, url, bin } = settings
  if (catalogue !== undefined && !(await stat(resolve(host.cwd, catalogue)).catch(() => undefined))?.isFile())
    problems.push({ field: 'target.catalogue', message: `${quote(catalogue)} is no file` })
  if (url !== undefined && bin !== undefined)
    problems.push({
      field: 'target.bin',
      message: 'a server that runs already needs no program',
      hint: 'leave one out',
    })
  return problems
}

/** How a server is come by; nothing is started before it is needed. */
async function starter(
  settings: Settings,
  host: Host,
  problems: Problem[],
): Promise<(() => Promise<Server>) | undefined> {
  const { url, bin, env, network, catalogue } = settings
  if (url !== undefined) return () => attachServer(url, host)
  const found = await findBinary(bin, host)
  if ('problem' in found) {
    problems.push(found.problem)
    return undefined
  }
  const ripgrep = await findRipgrep(found.file, host)
  const start = {
    file: found.file,
    env,
    network,
    programs: ripgrep === undefined ? [] : [ripgrep],
    ...(catalogue === undefined ? {} : { catalogue: resolve(host.cwd, catalogue) }),
  }
  return () => startServer(start, host)
}
