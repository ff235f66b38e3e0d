import { platform } from 'node:os'
import { TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { plainText } from '../../lib/escape.ts'
import { type Child, startChild } from '../../targets/index.ts'

const LIMIT_MS = 15 * 60_000
/** More than is shown, so that a secret can be replaced before the cut goes through it. */
const KEPT_CHARACTERS = 8_000
const SHOWN_CHARACTERS = 600

/** Inputs and tokens of the action's own step; a step that the author had written would not have them either. */
const WITHHELD = /^(?:ACTIONS_|INPUT_)/i

/**
 * Runs the command of the workflow's author in the folder of the base commit, through the platform's shell, as a step of
 * a workflow would. Gives a clause that says how it failed.
 */
export async function runSetup(command: string, host: Host): Promise<{ readonly reason: string } | undefined> {
  const env = Object.entries(host.env).flatMap(([name, value]) =>
    value === undefined || WITHHELD.test(name) ? [] : [[name, value] as const],
  )
  const [file, args] =
    platform() === 'win32'
      ? [host.env['ComSpec'] ?? 'cmd.exe', ['/d', '/s', '/c', command]]
      : ['/bin/sh', ['-c', command]]
  try {
    const program = { file, args, cwd: host.cwd, env: Object.fromEntries(env), input: '' }
    return await outcomeOf(await startChild(program, host), host)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    return { reason: `control-setup: ${error.message}` }
  }
}

async function outcomeOf(child: Child, host: Host): Promise<{ readonly reason: string } | undefined> {
  const over = new AbortController()
  const late = host.sleep(LIMIT_MS, AbortSignal.any([host.signal, over.signal])).then(async () => {
    if (over.signal.aborted) return false
    await child.stop()
    return true
  })
  const said = await lastWords(child)
  const exit = await child.ended
  over.abort()
  if (await late) {
    return {
      reason: host.signal.aborted ? 'interrupted' : `control-setup took longer than ${LIMIT_MS / 60_000} minutes`,
    }
  }
  if (child.hasOverflowed()) return { reason: 'control-setup wrote more than 16 MiB' }
  if ('code' in exit && exit.code === 0) return undefined
  const how = 'code' in exit ? `exit code ${exit.code}` : exit.signal
  const text = plainText(host.secrets.redact(`${said}\n${child.errorText()}`).trim().slice(-SHOWN_CHARACTERS))
  return { reason: `control-setup failed with ${how}${text === '' ? '' : `: ${text}`}` }
}

/** Its output is read to its end, or it would block one day. */
async function lastWords(child: Child): Promise<string> {
  let text = ''
  for await (const chunk of child.output) text = (text + chunk.toString('utf8')).slice(-KEPT_CHARACTERS)
  return text
}
