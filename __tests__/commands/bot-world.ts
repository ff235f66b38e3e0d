import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { botJob } from '../../src/commands/action/bot-job.ts'
import { configFromInputs } from '../../src/config/config.ts'
import { loadGitHubContext } from '../../src/github/index.ts'
import { ALL_RIGHTS, quickHost, shaOf } from '../github/world.ts'
import type { FakeHost } from '../support/fake-host.ts'
import type { Trigger } from '../support/github/events.ts'
import type { GitHub } from '../support/github/server.ts'

const BOT_RIGHTS = { ...ALL_RIGHTS, actions: 'write' } as const

export interface Serving {
  readonly rights?: Parameters<GitHub['issueToken']>[0]
  readonly inputs?: Readonly<Record<string, string>>
}

/** Runs the bot for an event, as its workflow does: without a checkout. */
export async function serveBot(
  github: GitHub,
  { payload, event, run }: Trigger,
  { rights = BOT_RIGHTS, inputs = {} }: Serving = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'agent-test-bot-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const { owner, name } = github.state.repository
  const path = join(folder, 'event.json')
  await writeFile(path, JSON.stringify(payload))
  const host: FakeHost = {
    ...quickHost({
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: path,
      GITHUB_REPOSITORY: `${owner}/${name}`,
      GITHUB_REPOSITORY_ID: `${github.state.repository.id}`,
      GITHUB_API_URL: github.url,
      GITHUB_RUN_ID: `${run.id}`,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_SHA: shaOf('main-6'),
    }),
    cwd: folder,
  }
  const given: Readonly<Record<string, string>> = {
    mode: 'bot',
    'bot-workflow': 'agent.yml',
    'github-token': github.issueToken(rights),
    ...inputs,
  }
  const { config } = configFromInputs((input) => given[input] ?? '')
  const sinks = { command: () => {}, annotate: () => {}, setOutputs: () => {} }
  const outcome = await botJob({ config, host, sinks }, await loadGitHubContext(host), {})
  return { outcome, host }
}
