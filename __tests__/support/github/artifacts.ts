import { createHmac, randomBytes } from 'node:crypto'
import { createBlobStore } from './blobs.ts'
import type { Answer } from './route.ts'
import { type Artifact, formatTime, type State, type WorkflowRun } from './state.ts'
import type { RawRequest } from './transport.ts'
import type { Violation } from './validate.ts'

/** The artifact service of one GitHub: twirp methods, and the store that holds the bytes. */
export interface ArtifactService {
  /** Token that a run's JavaScript actions get as ACTIONS_RUNTIME_TOKEN. */
  readonly runtimeToken: (run: WorkflowRun) => string
  readonly signedUrl: (artifact: Artifact, permission: 'read' | 'write') => string
  owns(path: string): boolean
  /** Undefined when the path belongs to somebody else. */
  answer(request: RawRequest): Answer | undefined
}

interface Context {
  readonly state: State
  readonly origin: string
  /** Gets what no real client would send. */
  readonly violations: Violation[]
}

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/'

/** Fields of each method's request, in proto names. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  CreateArtifact: ['name', 'version', 'mime_type', 'expires_at'],
  FinalizeArtifact: ['name', 'size', 'hash'],
  ListArtifacts: ['name_filter', 'id_filter'],
  GetSignedArtifactURL: ['name'],
  DeleteArtifact: ['name'],
}

const IDS = ['workflow_run_backend_id', 'workflow_job_run_backend_id']

const FORBIDDEN_IN_NAMES = /["!:<>|*?\r\n\\/]/

const DAY = 86_400_000

export function createArtifactService({ state, origin, violations }: Context): ArtifactService {
  const secret = randomBytes(32)
  const sign = (text: string) => createHmac('sha256', secret).update(text).digest('base64')
  const blobs = createBlobStore({
    isSigned: (path, permission, signature) => signature === sign(`${permission} ${path}`),
    find: (path) => state.artifacts.find((artifact) => blobPath(artifact) === path),
  })
  const signedUrl = (artifact: Artifact, permission: 'read' | 'write') => {
    const url = new URL(blobPath(artifact), origin)
    url.searchParams.set('sp', permission === 'read' ? 'r' : 'cw')
    url.searchParams.set('sig', sign(`${permission} ${url.pathname}`))
    return url.href
  }

  const answerTwirp = ({ url, headers, body }: RawRequest): Answer => {
    const method = url.pathname.slice(SERVICE.length)
    const fields = FIELDS[method]
    const request = JSON.parse(body.toString()) as Record<string, string>
    const unknown = Object.keys(request).filter((key) => ![...IDS, ...(fields ?? [])].includes(key))
    for (const field of unknown)
      violations.push({ method: 'POST', path: url.pathname, reason: `unknown field ${field}` })
    const run = runOfToken(state, String(headers['authorization'] ?? ''))
    if (!run || request['workflow_run_backend_id'] !== run.backendId)
      return refuse(401, 'unauthenticated', 'bad runtime token')
    return METHODS[method]?.({ state, run, request, signedUrl }) ?? refuse(404, 'bad_route', 'no such method')
  }

  return {
    runtimeToken,
    signedUrl,
    owns: (path) => path.startsWith(SERVICE) || path.startsWith('/blobs/'),
    answer(request) {
      if (request.url.pathname.startsWith(SERVICE)) return answerTwirp(request)
      return blobs.answer(request)
    },
  }
}

/** The extension must be truthful: clients unpack whatever ends in .zip. */
function blobPath({ id, mimeType }: Artifact): string {
  return `/blobs/artifacts/${id}${mimeType === 'application/zip' ? '.zip' : ''}`
}

function runtimeToken({ backendId, jobBackendId }: WorkflowRun): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ scp: `Actions.GenericRead:00000000 Actions.Results:${backendId}:${jobBackendId}` })}.x`
}

function runOfToken({ runs }: State, header: string): WorkflowRun | undefined {
  return runs.find((run) => run.status !== 'completed' && header === `Bearer ${runtimeToken(run)}`)
}

interface TwirpCall {
  readonly state: State
  readonly run: WorkflowRun
  readonly request: Readonly<Record<string, string>>
  readonly signedUrl: ArtifactService['signedUrl']
}

const METHODS: Readonly<Record<string, (call: TwirpCall) => Answer>> = {
  CreateArtifact({ state, run, request, signedUrl }) {
    const { name = '', mime_type: mimeType = 'application/zip', expires_at: expiresAt } = request
    if (name === '' || FORBIDDEN_IN_NAMES.test(name))
      return refuse(400, 'invalid_argument', `artifact name is not valid: ${name}`)
    if (state.artifacts.some((artifact) => artifact.run === run && artifact.name === name)) {
      return refuse(409, 'already_exists', 'an artifact with this name already exists on the workflow run')
    }
    const artifact: Artifact = {
      id: state.nextId(),
      name,
      run,
      createdAt: state.now(),
      expiresAt: formatTime(expiresAt === undefined ? Date.now() + 90 * DAY : Date.parse(expiresAt)),
      expired: false,
      mimeType,
      content: Buffer.alloc(0),
      digest: null,
      finalized: false,
    }
    state.artifacts.push(artifact)
    return ok({ ok: true, signed_upload_url: signedUrl(artifact, 'write') })
  },

  FinalizeArtifact({ state, run, request }) {
    const artifact = state.artifacts.find((item) => item.run === run && item.name === request['name'])
    if (!artifact) return refuse(404, 'not_found', 'artifact not found')
    if (`${artifact.content.length}` !== request['size'])
      return refuse(400, 'invalid_argument', 'size does not match the upload')
    artifact.digest = request['hash'] ?? null
    artifact.finalized = true
    return ok({ ok: true, artifact_id: `${artifact.id}` })
  },

  ListArtifacts({ state, run, request }) {
    const { name_filter: name, id_filter: id } = request
    const found = state.artifacts.filter(
      (artifact) =>
        artifact.run === run &&
        artifact.finalized &&
        (name ?? artifact.name) === artifact.name &&
        (id ?? `${artifact.id}`) === `${artifact.id}`,
    )
    const artifacts = found.map((artifact) => ({
      workflow_run_backend_id: run.backendId,
      workflow_job_run_backend_id: run.jobBackendId,
      database_id: `${artifact.id}`,
      name: artifact.name,
      size: `${artifact.content.length}`,
      created_at: artifact.createdAt,
      digest: artifact.digest,
    }))
    return ok({ artifacts })
  },

  GetSignedArtifactURL({ state, run, request, signedUrl }) {
    const artifact = state.artifacts.find((item) => item.run === run && item.finalized && item.name === request['name'])
    return artifact
      ? ok({ name: artifact.name, signed_url: signedUrl(artifact, 'read') })
      : refuse(404, 'not_found', 'artifact not found')
  },

  DeleteArtifact({ state, run, request }) {
    const index = state.artifacts.findIndex((item) => item.run === run && item.name === request['name'])
    const [removed] = index < 0 ? [] : state.artifacts.splice(index, 1)
    return removed ? ok({ ok: true, artifact_id: `${removed.id}` }) : refuse(404, 'not_found', 'artifact not found')
  },
}

function ok(body: object): Answer {
  return { status: 200, body }
}

function refuse(status: number, code: string, msg: string): Answer {
  return { status, body: { code, msg } }
}
