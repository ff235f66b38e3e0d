import type { Problem } from '../core/errors.ts'
import { quote } from '../core/kind.ts'
import type { SessionPlan } from '../core/session.ts'
import type { Case } from '../core/suite.ts'
import type { Target } from '../targets/index.ts'

/** What a case asks of its session that a target without sessions would leave out without a word. */
export function sessionProblems(
  { id, session }: Pick<Case, 'id' | 'session'>,
  { label, runsSessions }: Pick<Target, 'label' | 'runsSessions'>,
): Problem[] {
  if (!session || runsSessions === true) return []
  return needsOf(session).map(({ field, what }) => ({
    field,
    message: `case ${quote(id)} ${what}, and ${label} runs no sessions`,
    hint: 'run it with the target opencode, or choose other cases with --run or --tag',
  }))
}

function needsOf({ turns, setup, workspace, approval, files }: SessionPlan) {
  return [
    ...(turns.length > 1 ? [{ field: 'prompts', what: `talks in ${turns.length} turns` }] : []),
    ...(workspace === undefined ? [] : [{ field: 'workspace', what: 'works in a copy of a folder' }]),
    ...(setup.length === 0 ? [] : [{ field: 'setup', what: 'sets its workspace up' }]),
    ...(approval.kind === 'approve' ? [] : [{ field: 'approvalStrategy', what: 'answers requests for approval' }]),
    ...(files.length === 0 ? [] : [{ field: 'behavior.contentExpectations', what: 'looks at files' }]),
  ]
}
