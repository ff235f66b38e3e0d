import { parse } from 'yaml'
import type { Permissions } from '../github/tokens.ts'

export type Values = Readonly<Record<string, string>>

export interface Step {
  readonly id?: string
  readonly name?: string
  readonly if?: string
  readonly uses?: string
  readonly run?: string
  readonly shell?: string
  readonly 'working-directory'?: string
  readonly with?: Values
  readonly env?: Values
  readonly 'continue-on-error'?: boolean | string
}

export interface Job {
  readonly id: string
  readonly workflowName: string
  readonly if?: string
  readonly env: Values
  readonly permissions: Permissions
  readonly steps: readonly Step[]
  readonly outputs: Values
}

const STEP_KEYS = ['id', 'name', 'if', 'uses', 'run', 'shell', 'working-directory', 'with', 'env', 'continue-on-error']
const JOB_KEYS = [
  'name',
  'needs',
  'if',
  'runs-on',
  'permissions',
  'env',
  'outputs',
  'steps',
  'strategy',
  'timeout-minutes',
]
const WORKFLOW_KEYS = ['name', 'on', 'permissions', 'env', 'jobs', 'concurrency']

/** What GITHUB_TOKEN may do where a workflow does not say: the default of new repositories. */
const RESTRICTED: Permissions = { contents: 'read', packages: 'read' }

type Yaml = Readonly<Record<string, unknown>>

/** One job of a workflow file. What this runner does not know is refused, so that no test leans on it. */
export function readJob(text: string, event: string, jobId?: string): Job {
  const workflow = parse(text) as Yaml
  refuseUnknown('workflow', workflow, WORKFLOW_KEYS)
  if (!eventsOf(workflow['on']).includes(event)) throw new Error(`the workflow does not listen to ${event}`)
  const jobs = workflow['jobs'] as Readonly<Record<string, Yaml>>
  const id = jobId ?? Object.keys(jobs)[0] ?? ''
  const job = jobs[id]
  if (!job) throw new Error(`the workflow has no job ${id}`)
  refuseUnknown(`job ${id}`, job, JOB_KEYS)
  const steps = job['steps'] as readonly Step[]
  for (const step of steps) refuseUnknown('step', step as Yaml, STEP_KEYS)
  return {
    id,
    workflowName: (workflow['name'] as string | undefined) ?? '',
    ...(job['if'] === undefined ? {} : texts({ if: job['if'] })),
    env: { ...texts(workflow['env']), ...texts(job['env']) },
    permissions: permissionsOf(job['permissions'] ?? workflow['permissions']),
    steps: steps.map((step) => ({ ...step, with: texts(step.with), env: texts(step.env) })),
    outputs: texts(job['outputs']),
  }
}

function eventsOf(on: unknown): string[] {
  if (typeof on === 'string') return [on]
  return Array.isArray(on) ? on.map(String) : Object.keys(on as object)
}

type Scalar = string | number | boolean | null

/** Scalars of YAML as the runner sees them: all text. */
function texts(value: unknown): Values {
  const entries = Object.entries((value ?? {}) as Readonly<Record<string, Scalar>>)
  return Object.fromEntries(entries.map(([key, item]) => [key, String(item ?? '')]))
}

function permissionsOf(value: unknown): Permissions {
  if (value === undefined) return RESTRICTED
  if (typeof value !== 'object' || value === null)
    throw new Error(`permissions ${JSON.stringify(value)}: write them one by one`)
  return { metadata: 'read', ...(value as Permissions) }
}

function refuseUnknown(what: string, value: Yaml, known: readonly string[]): void {
  const unknown = Object.keys(value).filter((key) => !known.includes(key))
  if (unknown.length > 0) throw new Error(`${what}: this runner does not know ${unknown.join(', ')}`)
}
