import type { FieldValues } from '../../core/reading/fields.ts'
import type { Notes } from '../../core/reading/findings.ts'
import { readDurationMs } from '../../core/reading/values.ts'
import type { FileExpectation, SessionPlan, Turn } from '../../core/session.ts'
import { APPROVE, readApprovalPolicy } from './approval.ts'
import type { SuiteConfig } from './config.ts'
import { readModel } from './model.ts'
import { readSetup } from './setup.ts'
import type { TEST } from './test-fields.ts'
import type { Fixture } from './workspaces.ts'

type Fields = Pick<
  FieldValues<typeof TEST>,
  'model' | 'approvalStrategy' | 'timeout' | 'workspace' | 'inherit' | 'setup'
>

interface Parts {
  readonly notes: Notes
  readonly turns: readonly Turn[]
  readonly files: readonly FileExpectation[]
  readonly config: SuiteConfig | undefined
  readonly agent: string | undefined
  readonly workspace: Fixture | undefined
}

/** How a test is put to the agent; what it does not say, its config file says. */
export function readSession(fields: Fields, { notes, turns, files, config, agent, workspace }: Parts): SessionPlan {
  const { approvalStrategy: strategy } = fields
  const model = readModel(fields.model, { notes, at: 'model' })
  const own = strategy === undefined ? undefined : readApprovalPolicy(strategy, { notes, at: 'approvalStrategy' })
  const turnTimeoutMs = readDurationMs(fields.timeout, { notes, at: 'timeout' }) ?? config?.timeoutMs
  const setup = fields.setup ? readSetup(fields.setup, { notes, at: 'setup' }) : []
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    ...(model === undefined && config?.model !== undefined ? { defaultModel: config.model } : {}),
    turns,
    ...(workspace === undefined ? {} : { workspace: workspace.path }),
    inherit: fields.inherit ?? config?.inherit ?? true,
    setup,
    approval: own ?? config?.approval ?? APPROVE,
    ...(turnTimeoutMs === undefined ? {} : { turnTimeoutMs }),
    files,
  }
}

/** Copying the workspace and starting the session, before the first turn. */
const BEFORE_TURNS_MS = 15_000

/** Limit of a whole run: `timeout` is that of a turn, as in the public suites. */
export function runLimitMs({ turns, turnTimeoutMs }: SessionPlan): number | undefined {
  if (turnTimeoutMs === undefined) return undefined
  const waited = turns.reduce((sum, { delayMs = 0 }) => sum + delayMs, 0)
  return BEFORE_TURNS_MS + turns.length * turnTimeoutMs + waited
}
