import type { Json } from '../../../core/json.ts'
import { describeStop, SCRIPT_SPACE } from '../../../sandbox/limits.ts'
import type { SandboxLimits, SandboxOutcome } from '../../../sandbox/sandbox.ts'
import { aborted } from '../../chat/chat-model.ts'
import type { RunScope } from '../agent/scope.ts'
import { CONTEXT_PRELUDE } from '../context/prelude.ts'

/** Of a script's own running: waiting for models and other scripts is limited by the run alone. */
const SCRIPT_LIMITS: SandboxLimits = {
  timeMs: 60_000,
  ...SCRIPT_SPACE,
}

interface ScriptCall {
  /** Path as messages name it. */
  readonly script: string
  readonly function: string
  readonly args: readonly Json[]
  readonly invoke?: string
  /** Whose lines the logs are. */
  readonly agent: string
  readonly call: (name: string, args: readonly Json[]) => Promise<Json | undefined>
}

/** What a script came to, aborts and what the outside could not do excepted: these are thrown. */
export type ScriptEnd =
  | Extract<SandboxOutcome, { kind: 'returned' | 'missing' }>
  | { readonly kind: 'failed'; readonly message: string }

/** Runs one function in a context of its own. Throws what ended it from outside: a TargetError or an AgentFault. */
export async function runScript({ agent, invoke, ...job }: ScriptCall, scope: RunScope): Promise<ScriptEnd> {
  const { application, signal } = scope
  const { sandbox, scripts } = application
  const outcome = await sandbox.run({
    ...job,
    ...(invoke === undefined ? {} : { invoke }),
    load: scripts.load,
    preludes: [CONTEXT_PRELUDE],
    log: ({ level, text }) => scope.emit({ type: 'log', level, text, agent }),
    limits: SCRIPT_LIMITS,
    signal,
  })
  switch (outcome.kind) {
    case 'returned':
    case 'missing':
      return outcome
    case 'threw': {
      const { name, message, stack } = outcome.error
      return { kind: 'failed', message: [`${name}: ${message}${absentNote(scope)}`, stack].filter(Boolean).join('\n') }
    }
    case 'stopped':
      if (outcome.by === 'signal') {
        const text = `${job.function} (${job.script}) was still running when the run was ended`
        scope.emit({ type: 'log', level: 'warn', text, agent })
        throw aborted()
      }
      return { kind: 'failed', message: describeStop(outcome.by, SCRIPT_LIMITS) }
    case 'ended':
      throw outcome.error
  }
}

/** `cannot read property 'Exec' of undefined` does not say of what. */
function absentNote({ absent }: RunScope): string {
  return absent.size === 0 ? '' : ` (${[...absent].join(', ')} is undefined: package.yao configures no sandbox)`
}
