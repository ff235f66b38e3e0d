import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerApi } from './api.ts'
import { createArtifactService } from './artifacts.ts'
import { createFaults, type Failure, type Fault } from './faults.ts'
import type { Answer } from './route.ts'
import { type Actor, createState, type State, type WorkflowRun } from './state.ts'
import { createTokens, type Permissions } from './tokens.ts'
import { parseBody, type RawRequest, receive, respond, respondInPart } from './transport.ts'
import { createValidator, type Violation } from './validate.ts'

interface RecordedRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: unknown
  /** Undefined when the connection was cut or left hanging. */
  readonly status: number | undefined
}

/** A GitHub on loopback: REST operations, the artifact service and its storage, on one port. */
export interface GitHub {
  /** Value for GITHUB_API_URL and ACTIONS_RESULTS_URL. */
  readonly url: string
  readonly state: State
  /** Every departure from GitHub's description so far, by client or server. Empty at the end of every good test. */
  readonly violations: readonly Violation[]
  readonly requests: readonly RecordedRequest[]
  readonly issueToken: (permissions: Permissions, actor?: Actor) => string
  readonly runtimeToken: (run: WorkflowRun) => string
  readonly fail: (fault: Fault) => void
  close(): Promise<void>
}

interface RepositoryOptions {
  readonly owner: string
  readonly name: string
  readonly private?: boolean
  readonly defaultBranch?: string
}

export async function startGitHub(repository: RepositoryOptions): Promise<GitHub> {
  const state = createState({ private: false, defaultBranch: 'main', ...repository })
  const [violations, requests]: [Violation[], RecordedRequest[]] = [[], []]
  const [faults, tokens, validator] = [createFaults(), createTokens(), createValidator()]

  const server = createServer((message, response) => void serve(message, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const artifacts = createArtifactService({ state, origin: url, violations })

  const serve = async (message: IncomingMessage, response: ServerResponse) => {
    const request = await receive(message, url)
    const fault = faults.next(request.method, request.url.pathname)
    const isAnswered = !fault || fault.carriedOut === true || fault.failure === 'cut'
    const given = isAnswered ? answerTo(request) : undefined
    const answer = fault ? answerOf(fault.failure) : given
    record(request, answer)
    if (answer) respond(response, answer)
    else if (fault?.failure === 'cut' && given) respondInPart(response, given)
    else if (fault?.failure === 'reset') message.socket.destroy()
  }

  const answerTo = (request: RawRequest): Answer => {
    try {
      return artifacts.answer(request) ?? answerApi(request, { state, tokens, artifacts, violations })
    } catch (error) {
      violations.push({
        method: request.method,
        path: request.url.pathname,
        reason: `our GitHub broke: ${String(error)}`,
      })
      return { status: 500, body: { message: 'Server Error' } }
    }
  }

  const record = (
    { method, url: { pathname: path, search, searchParams: query }, body }: RawRequest,
    answer?: Answer,
  ) => {
    const requestBody = parseBody(body)
    requests.push({ method, path, query: search, body: requestBody, status: answer?.status })
    if (artifacts.owns(path)) return
    const response = answer && { status: answer.status, responseBody: answer.body }
    violations.push(...validator.check({ method, path, query, requestBody, ...response }))
  }

  return {
    url,
    state,
    violations,
    requests,
    issueToken: tokens.issue,
    runtimeToken: artifacts.runtimeToken,
    fail: faults.add,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => {
        server.close(resolve)
      })
    },
  }
}

function answerOf(failure: Failure): Answer | undefined {
  if (typeof failure === 'string') return undefined
  const { status, message = 'Server Error', headers = {} } = failure
  return { status, body: { message, documentation_url: 'https://docs.github.com/rest', status: `${status}` }, headers }
}
