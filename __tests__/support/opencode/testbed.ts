import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Host } from '../../../src/core/host.ts'
import type { SessionPlan } from '../../../src/core/session.ts'
import type { Case } from '../../../src/core/suite.ts'
import type { EmittedEvent } from '../../../src/core/trace.ts'
import { createTarget, type Target, type TargetContext } from '../../../src/targets/index.ts'
import { aCase } from '../builders.ts'
import { ROOT } from '../bundle.ts'
import { type FakeHost, fakeHost } from '../fake-host.ts'
import { collect } from '../run-request.ts'
import { type ScriptedModel, startScriptedModel } from '../scripted-model.ts'
import { answerBy, SCRIPTS } from './scripts.ts'

const MODULES = join(ROOT, '__tests__', 'runtimes', 'node_modules')

/** The real program, where npm could install it. */
export const OPENCODE = join(MODULES, 'opencode-linux-x64', 'bin', 'opencode')
export const hasOpenCode = existsSync(OPENCODE)

export interface Testbed {
  /** The tested project, a git repository. */
  readonly project: string
  /** Where servers make their folders. */
  readonly temp: string
  /** Model catalogue without a model. */
  readonly catalogue: string
  readonly model: ScriptedModel
  readonly host: FakeHost
  open(settings?: Record<string, unknown>, context?: Partial<TargetContext>): Promise<Target>
  /** A case of the project that says `SCRIPT:name`. */
  item(script: string, plan?: Partial<SessionPlan>, overrides?: Partial<Case>): Case
  /** Processes that have the project's folder for servers in their environment. */
  processes(): readonly number[]
  close(): Promise<void>
}

const AGENTS = {
  '.opencode/agent/openagent.md':
    '---\nmode: primary\ndescription: Asks before bash\npermission:\n  bash: ask\n---\nYou work.\n',
  '.opencode/agent/helper.md': '---\nmode: subagent\ndescription: Helps\npermission:\n  bash: ask\n---\nYou help.\n',
  '.opencode/agent/asker.md':
    '---\nmode: primary\ndescription: Asks questions\npermission:\n  question: allow\n---\nYou ask.\n',
}

/** A project with agents and a scripted model behind a real server that is started when it is needed. */
export async function openTestbed(overrides: Partial<Host> = {}): Promise<Testbed> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'opencode-testbed-')))
  const project = join(root, 'project')
  const temp = join(root, 'temp')
  mkdirSync(temp, { recursive: true })
  const model = await startScriptedModel({ answer: answerBy(SCRIPTS) })
  const config = {
    $schema: 'https://opencode.ai/config.json',
    model: 'scripted/main',
    default_agent: 'openagent',
    provider: {
      scripted: {
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: model.url, apiKey: 'none' },
        models: {
          main: { name: 'main', cost: { input: 1, output: 2 }, limit: { context: 100_000, output: 1_000 } },
          'org/other': { name: 'other', limit: { context: 100_000, output: 1_000 } },
        },
      },
    },
  }
  write(project, {
    'opencode.json': JSON.stringify(config),
    'AGENTS.md': 'Rules of the project.\n',
    'notes.txt': 'alpha\nbeta\n',
    'evals/support.yaml': 'id: x\n',
    ...AGENTS,
  })
  write(root, { 'models.json': '{}' })
  commitAll(project)
  const host = fakeHost({
    cwd: project,
    env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', RUNNER_TEMP: temp, GITHUB_TOKEN: 'ghs_secret_of_the_workflow' },
    ...overrides,
  })
  const base = { bin: OPENCODE, catalogue: join(root, 'models.json') }
  return {
    project,
    temp,
    catalogue: join(root, 'models.json'),
    model,
    host,
    open: (settings = {}, context = {}) => {
      const start = 'url' in settings ? {} : base
      return createTarget({ type: 'opencode', ...start, ...settings }, { host, ...context })
    },
    item: (script, plan = {}, more = {}) => {
      const session = { ...PLAN, turns: [{ text: `SCRIPT:${script} Do it.` }], ...plan }
      return aCase({ id: script, location: { file: 'evals/support.yaml', line: 1 }, session, ...more })
    },
    processes: () => processesWith(temp),
    async close() {
      await model.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

const PLAN: SessionPlan = { turns: [], inherit: true, setup: [], approval: { kind: 'approve' }, files: [] }

export function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

export function commitAll(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
      cwd: folder,
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '-A')
  git('commit', '-q', '-m', 'start')
}

function processesWith(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'latin1').includes(folder)
      } catch {
        return false
      }
    })
    .map(Number)
}

export interface Seen {
  readonly events: readonly EmittedEvent[]
  readonly error: unknown
  /** Short forms, such as `approval_request bash` and `bash denied`. */
  readonly story: readonly string[]
}

/** Runs a case and tells what happened in a few words each. */
export async function see(target: Target, item: Case, signal?: AbortSignal): Promise<Seen> {
  const seen = await collect(target, { case: item, ...(signal === undefined ? {} : { signal }) })
  return { error: undefined, ...seen, story: seen.events.flatMap(wordsOf) }
}

function wordsOf(event: EmittedEvent): string[] {
  const depth = event.session === undefined || event.session.depth === 0 ? '' : `${event.session.depth}: `
  switch (event.type) {
    case 'usage':
    case 'log':
      return []
    case 'user_message':
      return [`${depth}user: ${event.text}`]
    case 'assistant_message':
      return [`${depth}agent: ${event.text}`]
    case 'tool_call':
      return [`${depth}${event.tool}${event.status === undefined ? '' : ` ${event.status}`}`]
    case 'approval_request':
      return [`${depth}asks ${event.tool}`]
    case 'approval_response':
      return [`${depth}${event.approved ? 'approved' : 'denied'}`]
    case 'patch':
      return [`${depth}patch ${event.files.join(' ')}`]
    case 'check':
      return [`check ${event.name}: ${event.passed}`]
    case 'output':
    case 'skip':
      return [event.type]
  }
}
