import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import type { GitHubClient } from './client.ts'
import { createOnce } from './create-once.ts'
import type { Attempt } from './failure.ts'

/** GitHub refuses a longer summary, and counts bytes. Source: OpenAPI description 23.0.2, checks/create; dorny/test-reporter. */
export const CHECK_SUMMARY_LIMIT = 65_535
const ANNOTATIONS_PER_REQUEST = 50

export interface CheckAnnotation {
  /** Relative to the repository's root. */
  readonly path: string
  readonly start_line: number
  readonly end_line: number
  readonly annotation_level: 'failure' | 'warning' | 'notice'
  readonly title: string
  readonly message: string
  readonly raw_details?: string
}

export interface CheckRun {
  readonly name: string
  readonly headSha: string
  /** The same for no two jobs, so that a create that was answered badly can be found again. */
  readonly externalId: string
  readonly detailsUrl: string
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'cancelled'
  /** RFC 3339. */
  readonly startedAt: string
  readonly completedAt: string
  readonly title: string
  readonly summary: string
  readonly annotations: readonly CheckAnnotation[]
}

export interface PublishedCheckRun {
  readonly id: number
  readonly url: string
  /** Annotations that GitHub did not take, and why. */
  readonly unplaced?: { readonly count: number; readonly error: UserError }
}

const CREATE: Attempt = { action: 'create the check run', needs: 'checks: write' }
const ANNOTATE: Attempt = { action: 'add annotations to the check run', needs: 'checks: write' }

/**
 * Creates a completed check run. GitHub takes 50 annotations in a request and adds those of later requests to them,
 * so an attempt never updates the check run of an earlier one: the old annotations would stay. GitHub shows the newest
 * check run of a name and commit, so the new one takes the place of the old one all the same.
 */
export async function publishCheckRun(client: GitHubClient, host: Host, check: CheckRun): Promise<PublishedCheckRun> {
  const { annotations } = check
  const created = await client.ask(CREATE, () => create(client, host, check))
  for (let placed = ANNOTATIONS_PER_REQUEST; placed < annotations.length; placed += ANNOTATIONS_PER_REQUEST) {
    try {
      await client.ask(ANNOTATE, () => addAnnotations(client, host, check, { id: created.id, placed }))
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      return { ...created, unplaced: { count: annotations.length - placed, error } }
    }
  }
  return created
}

async function create(client: GitHubClient, host: Host, check: CheckRun): Promise<PublishedCheckRun> {
  const { name, headSha, externalId, detailsUrl, conclusion, startedAt, completedAt } = check
  return await createOnce(host, {
    async create() {
      const { data } = await client.rest.checks.create({
        ...client.repository,
        name,
        head_sha: headSha,
        external_id: externalId,
        details_url: detailsUrl,
        status: 'completed',
        conclusion,
        started_at: startedAt,
        completed_at: completedAt,
        output: outputOf(check, 0),
        request: { retries: 0 },
      })
      client.sawApp(data.app?.slug)
      return { id: data.id, url: data.html_url ?? '' }
    },
    async find() {
      const { data } = await client.rest.checks.listForRef({
        ...client.repository,
        ref: headSha,
        check_name: name,
        filter: 'all',
        per_page: 100,
      })
      const found = data.check_runs.find((run) => run.external_id === externalId)
      return found && { id: found.id, url: found.html_url ?? '' }
    },
  })
}

/** Repeating an update adds its annotations twice, so the count tells whether it has to be repeated. */
async function addAnnotations(
  client: GitHubClient,
  host: Host,
  check: CheckRun,
  { id, placed }: { id: number; placed: number },
): Promise<true> {
  const run = { ...client.repository, check_run_id: id }
  const output = outputOf(check, placed)
  return await createOnce<true>(host, {
    async create() {
      await client.rest.checks.update({ ...run, output, request: { retries: 0 } })
      return true
    },
    async find() {
      const { data } = await client.rest.checks.get(run)
      return data.output.annotations_count >= placed + output.annotations.length ? true : undefined
    },
  })
}

function outputOf({ title, summary, annotations }: CheckRun, from: number) {
  return { title, summary, annotations: annotations.slice(from, from + ANNOTATIONS_PER_REQUEST) }
}
