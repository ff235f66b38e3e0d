import { artifactBaseline } from '../../baselines/index.ts'
import { gatheredFrom, type LegResults, loadResultsOf, mergeBlobs } from '../../blobs/index.ts'
import type { Config } from '../../config/config.ts'
import type { LoadedBaseline } from '../../core/baseline.ts'
import type { CaseReport } from '../../core/case-report.ts'
import type { Host } from '../../core/host.ts'
import type { Report } from '../../core/report.ts'
import { type FoundRun, type GitHubClient, type GitHubContext, newestRunOf } from '../../github/index.ts'
import { makeReport } from '../../pipeline/conclude.ts'

/** What the newest run of the pull request's head found. */
export interface Results {
  readonly run: FoundRun
  readonly legs: readonly JudgedLeg[]
}

interface JudgedLeg {
  /** Absent where there is no matrix. */
  readonly leg?: string
  readonly report: Report
}

interface Place {
  readonly client: GitHubClient
  readonly config: Config
  readonly host: Host
  /** Of the pull request. */
  readonly pull: GitHubContext & { readonly headSha: string }
  /** File name. */
  readonly workflow: string
}

/** The results that the newest run stored, judged anew; undefined where there are none. Throws a UserError. */
export async function loadResults(place: Place): Promise<Results | undefined> {
  const { client, config, host, pull, workflow } = place
  const run = await newestRunOf(client, workflow, pull.headSha)
  if (!run) return undefined
  const retentionDays = config['retention-days']
  const artifacts = { client, context: pull, artifactName: config['artifact-name'], commentKey: config['comment-key'] }
  const legs = await loadResultsOf(run.id, { ...artifacts, retentionDays }, host)
  if (legs.length === 0) return undefined
  const store = artifactBaseline({ client, context: pull, name: config['artifact-name'], retentionDays }, host)
  const loaded = config.baseline === 'auto' ? await store.load() : undefined
  return { run, legs: legs.map((leg) => judged(leg, loaded, place)) }
}

function judged(
  { leg, found }: LegResults,
  loaded: LoadedBaseline | undefined,
  { config, host, pull }: Place,
): JudgedLeg {
  const gathered = { ...gatheredFrom(mergeBlobs(found)), waivers: [] }
  const report = makeReport(gathered, { loaded, config, host, ports: { commit: pull.headSha } })
  return { ...(leg === undefined ? {} : { leg }), report }
}

/** The case of this key or id; the first of several with one id. */
export function caseNamed({ cases }: Report, name: string): CaseReport | undefined {
  return cases.find(({ key }) => key === name) ?? cases.find(({ id }) => id === name)
}
