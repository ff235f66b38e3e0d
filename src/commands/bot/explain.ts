import type { CaseReport } from '../../core/case-report.ts'
import { didYouMean } from '../../core/kind.ts'
import { redactDeep } from '../../core/redact.ts'
import type { Report } from '../../core/report.ts'
import { repositoryPaths, runLinks } from '../../github/index.ts'
import { inlineCode, inlineText } from '../../lib/escape.ts'
import { renderSummary } from '../../render/index.ts'
import { type Answer, confused, done, refused } from './answer.ts'
import { caseNamed, type Results } from './results.ts'
import type { BotWorld } from './world.ts'

/** A matrix has many legs, and a comment has one reader. */
const MOST_LEGS = 4
const LONGEST_LEG = 12_000

/** What the newest results show of one case: verdict, counts, first failure, and where it parts from the base branch. */
export async function explain(name: string, world: BotWorld): Promise<Answer> {
  const results = await world.results()
  if (!results) {
    const commit = inlineCode(world.pull.headSha.slice(0, 7))
    return refused(`${inlineCode(world.workflow)} has stored no results for ${commit}.`)
  }
  const known = results.legs.flatMap(({ leg, report }) => {
    const item = caseNamed(report, name)
    return item ? [{ leg, report, item }] : []
  })
  if (known.length === 0) return unknownCase(name, results)
  const paths = await repositoryPaths(world.pull, world.host.cwd)
  const links = { ...runLinks({ ...world.pull, runId: results.run.id }, paths) }
  const texts = known.slice(0, MOST_LEGS).map(({ leg, report, item }) => {
    const heading = leg === undefined ? item.id : `${item.id} · ${leg}`
    const clean = redactDeep(ofOneCase(report, item), world.host.secrets)
    return renderSummary(clean, { heading, links, limit: { chars: LONGEST_LEG } })
  })
  const left = known.length - texts.length
  return done([...texts, ...(left > 0 ? [`${left} more legs of the matrix have this case.`] : [])].join('\n\n'))
}

/** The report as if the suite had no other case; what is said of the suite as a whole stays out. */
function ofOneCase(report: Report, item: CaseReport): Report {
  const { verdict, judgement } = report
  const isOurs = (about: object) => 'key' in about && about.key === item.key
  const reasons = verdict.reasons.filter(isOurs)
  const passed = reasons.length === 0
  const notes = verdict.notes.filter((note) => isOurs(note) || (note.kind === 'waived' && isOurs(note.reason)))
  return {
    ...report,
    cases: [item],
    changes: report.changes.filter(({ key }) => key === item.key),
    warnings: [],
    proposals: report.proposals.filter(({ key }) => key === item.key),
    verdict: {
      passed,
      conclusion: passed ? 'success' : 'failure',
      exitReason: passed ? 'passed' : reasons.some(({ kind }) => kind === 'regressed') ? 'regression' : 'failed',
      reasons,
      notes,
    },
    ...(judgement ? { judgement: { ...judgement, cases: judgement.cases.filter(({ key }) => key === item.key) } } : {}),
  }
}

export function unknownCase(name: string, { legs }: Results): Answer {
  const keys = legs.flatMap(({ report }) => report.cases.flatMap(({ key, id }) => [key, id]))
  const hint = didYouMean(name, [...new Set(keys)])
  const more = hint === undefined ? '' : ` (${inlineText(hint)})`
  return confused(`The newest results have no case ${inlineCode(name, { maxLength: 300 })}${more}.`)
}
