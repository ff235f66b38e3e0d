import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Trigger } from '../github/events.ts'
import type { GitHub } from '../github/server.ts'
import type { Job, Values } from './workflow.ts'

interface GitHubContext extends Readonly<Record<string, unknown>> {
  readonly token: string
  readonly event: object
}

interface Folders {
  readonly workspace: string
  readonly temp: string
}

export function githubContext(
  github: GitHub,
  trigger: Trigger,
  job: Job,
  { workspace, temp }: Folders,
  token: string,
): GitHubContext {
  const { repository } = github.state
  const { run, actor } = trigger
  const slug = `${repository.owner}/${repository.name}`
  return {
    token,
    event: trigger.payload,
    event_name: trigger.event,
    event_path: join(temp, '_github_workflow', 'event.json'),
    sha: trigger.sha,
    ref: trigger.ref,
    ref_name: trigger.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_type: 'branch',
    ref_protected: false,
    head_ref: trigger.headRef,
    base_ref: trigger.baseRef,
    repository: slug,
    repository_id: `${repository.id}`,
    repository_owner: repository.owner,
    repository_owner_id: `${repository.id + 7}`,
    run_id: `${run.id}`,
    run_number: `${run.number}`,
    run_attempt: `${run.attempt}`,
    retention_days: '90',
    workflow: job.workflowName,
    workflow_ref: `${slug}/${run.workflow.path}@${trigger.ref}`,
    workflow_sha: trigger.sha,
    job: job.id,
    actor: actor.login,
    actor_id: `${actor.id}`,
    triggering_actor: actor.login,
    workspace,
    // Clients of the artifact service refuse every host that is not GitHub's.
    server_url: 'https://github.com',
    api_url: github.url,
    graphql_url: `${github.url}/graphql`,
  }
}

/** What steps see of the context as variables: everything but the token and the event itself. */
export function githubVariables({ token: _token, event: _event, ...context }: GitHubContext): Values {
  const entries = Object.entries(context).map(([name, value]): [string, string] => {
    const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value)
    return [`GITHUB_${name.toUpperCase()}`, text]
  })
  return Object.fromEntries(entries)
}

export function runnerContext({ temp }: Folders): Values {
  return { os: 'Linux', arch: 'X64', name: 'GitHub Actions 1', environment: 'github-hosted', temp, tool_cache: temp }
}

export function runnerVariables(runner: Values, workspace: string): Values {
  const variables = Object.entries({ ...runner, workspace }).map(([name, value]): [string, string] => {
    return [`RUNNER_${name.toUpperCase()}`, value]
  })
  return { GITHUB_ACTIONS: 'true', CI: 'true', ...Object.fromEntries(variables) }
}

/** Only JavaScript actions get these, never `run` steps. */
export function serviceVariables(github: GitHub, { run }: Trigger): Values {
  return {
    ACTIONS_RUNTIME_URL: `${github.url}/`,
    ACTIONS_RUNTIME_TOKEN: github.runtimeToken(run),
    ACTIONS_RESULTS_URL: `${github.url}/`,
  }
}

export async function writeEvent(path: string, payload: object): Promise<void> {
  await writeFile(path, JSON.stringify(payload, null, 2))
}
