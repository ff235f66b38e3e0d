import { resolveRef } from '../graph.ts'
import { type Answer, ApiError, type Call, pageOf, type Route, required } from '../route.ts'
import type { Annotation, CheckRun } from '../state.ts'

const MOST_ANNOTATIONS = 50
const LONGEST_TEXT = 65_535

const CHECKS = '/repos/{owner}/{repo}/check-runs'
const CHECK = `${CHECKS}/{check_run_id}`

export const checkRoutes: readonly Route[] = [
  { on: `POST ${CHECKS}`, needs: ['checks:write'], handle: createCheck },
  {
    on: `GET ${CHECK}`,
    needs: ['checks:read'],
    handle: (call) => ({ status: 200, body: call.views.checkRun(findCheck(call)) }),
  },
  { on: `PATCH ${CHECK}`, needs: ['checks:write'], handle: updateCheck },
  { on: `GET ${CHECK}/annotations`, needs: ['checks:read'], handle: listAnnotations },
  { on: 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs', needs: ['checks:read'], handle: listChecks },
]

interface Output {
  readonly title?: string
  readonly summary?: string
  readonly text?: string
  readonly annotations?: readonly Annotation[]
}

function createCheck(call: Call): Answer {
  const { state, body } = call
  const headSha = String(body['head_sha'])
  if (!state.commits.has(headSha)) throw new ApiError(422, `No commit found for SHA: ${headSha}`)
  const output = outputOf(call)
  const check: CheckRun = {
    id: state.nextId(),
    headSha,
    name: String(body['name']),
    status: 'queued',
    conclusion: null,
    startedAt: textOf(body['started_at']) ?? state.now(),
    completedAt: null,
    detailsUrl: null,
    externalId: null,
    title: null,
    summary: null,
    text: null,
    annotations: [],
  }
  apply(check, call, output)
  state.checkRuns.push(check)
  return { status: 201, body: call.views.checkRun(check) }
}

function updateCheck(call: Call): Answer {
  const check = findCheck(call)
  apply(check, call, outputOf(call))
  return { status: 200, body: call.views.checkRun(check) }
}

/** Annotations are added to those of earlier requests; every other field replaces. */
function apply(check: CheckRun, { state, body }: Call, output: Output | undefined): void {
  check.name = textOf(body['name']) ?? check.name
  check.conclusion = textOf(body['conclusion']) ?? check.conclusion
  check.status = textOf(body['status']) ?? (body['conclusion'] === undefined ? check.status : 'completed')
  if (check.status === 'completed') {
    if (check.conclusion === null)
      throw new ApiError(422, 'Invalid request.\n\n"conclusion" is required when "status" is "completed".')
    check.completedAt = textOf(body['completed_at']) ?? check.completedAt ?? state.now()
  }
  check.detailsUrl = textOf(body['details_url']) ?? check.detailsUrl
  check.externalId = textOf(body['external_id']) ?? check.externalId
  if (!output) return
  check.title = output.title ?? check.title
  check.summary = output.summary ?? check.summary
  check.text = output.text ?? check.text
  check.annotations.push(...(output.annotations ?? []))
}

function outputOf({ body }: Call): Output | undefined {
  const output = body['output'] as Output | undefined
  for (const text of [output?.summary, output?.text]) {
    if ((text?.length ?? 0) > LONGEST_TEXT) {
      throw new ApiError(
        422,
        `Invalid request.\n\nOnly ${LONGEST_TEXT} characters are allowed; ${text?.length} were supplied.`,
      )
    }
  }
  const { annotations = [] } = output ?? {}
  if (annotations.length > MOST_ANNOTATIONS) {
    throw new ApiError(
      422,
      `Invalid request.\n\nNo more than ${MOST_ANNOTATIONS} items are allowed; ${annotations.length} were supplied.`,
    )
  }
  annotations.forEach(refuseBadAnnotation)
  return output
}

function refuseBadAnnotation({
  start_line,
  end_line,
  start_column,
  end_column,
  title,
  message,
  raw_details,
}: Annotation): void {
  const hasColumns = start_column !== undefined || end_column !== undefined
  const isLong =
    Buffer.byteLength(message) > 65_536 || Buffer.byteLength(raw_details ?? '') > 65_536 || (title?.length ?? 0) > 255
  if (end_line < start_line || start_line < 1 || isLong || (hasColumns && start_line !== end_line)) {
    throw new ApiError(422, 'Validation Failed', {
      errors: [{ resource: 'CheckAnnotation', code: 'invalid', field: 'annotations' }],
    })
  }
}

function listAnnotations(call: Call): Answer {
  const { items, headers } = pageOf(call, findCheck(call).annotations)
  return { status: 200, body: items.map(call.views.annotation), headers }
}

function listChecks(call: Call): Answer {
  const { state, parameters, query, views } = call
  const sha = required(resolveRef(state, parameters['ref'] ?? ''))
  const found = state.checkRuns.filter(
    (check) => check.headSha === sha && fits(query, 'check_name', check.name) && fits(query, 'status', check.status),
  )
  // "latest", the default, hides the older ones of the same name.
  const shown = query.get('filter') === 'all' ? found : found.filter((check) => newest(found, check.name) === check)
  const { items, headers } = pageOf(call, shown.toReversed())
  return { status: 200, body: { total_count: shown.length, check_runs: items.map(views.checkRun) }, headers }
}

function newest(checks: readonly CheckRun[], name: string): CheckRun | undefined {
  return checks.findLast((check) => check.name === name)
}

function findCheck({ state, parameters }: Call): CheckRun {
  return required(state.checkRuns.find((check) => check.id === Number(parameters['check_run_id'])))
}

function fits(query: URLSearchParams, name: string, value: string): boolean {
  return (query.get(name) ?? value) === value
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
