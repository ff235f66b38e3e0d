import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configFromInputs } from '../../src/config/config.ts'
import { namesOn } from '../../src/config/lookup.ts'

const FOLDER = join(import.meta.dirname, '../../examples/workflows')
const FILES = readdirSync(FOLDER)

interface Step {
  readonly uses?: string
  readonly run?: string
  readonly with?: Readonly<Record<string, string | number | boolean>>
}

interface Job {
  readonly needs?: string
  readonly if?: string
  readonly strategy?: { readonly matrix: { readonly shard?: readonly number[] } }
  readonly 'timeout-minutes'?: number
  readonly steps: readonly Step[]
}

interface Workflow {
  readonly name: string
  readonly on: Readonly<
    Record<string, { readonly workflows?: readonly string[]; readonly types?: readonly string[] } | null>
  >
  readonly permissions: Readonly<Record<string, string>>
  readonly jobs: Readonly<Record<string, Job>>
}

const workflow = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8')) as Workflow
const stepsOf = ({ jobs }: Workflow) => Object.values(jobs).flatMap(({ steps }) => steps)
const ourStepsOf = (file: string) => stepsOf(workflow(file)).filter(({ uses }) => uses === 'org/agent-test@v1')

test('there is one for each situation', () => {
  expect(FILES.sort()).toEqual(['bot.yml', 'fork-report.yml', 'fork-run.yml', 'pull-request.yml', 'shards.yml'])
})

describe.each(FILES)('%s', (file) => {
  test('gives the action inputs that it takes', () => {
    const steps = ourStepsOf(file)
    expect(steps.length).toBeGreaterThan(0)
    for (const { with: given = {} } of steps) {
      expect(Object.keys(given).filter((name) => !namesOn('action').some((known) => known === name))).toEqual([])
      const evaluated = (name: string) => String(given[name] ?? '').replace(/\$\{\{ matrix\.shard \}\}/, '1')
      expect(configFromInputs(evaluated).problems).toEqual([])
    }
  })

  test('says how long it may take, and puts nothing that a pull request names into a shell', () => {
    for (const job of Object.values(workflow(file).jobs)) expect(job['timeout-minutes']).toBeGreaterThan(0)
    expect(stepsOf(workflow(file)).filter(({ run }) => run !== undefined)).toEqual([])
  })

  test('asks for no more than its mode needs', () => {
    const { permissions } = workflow(file)
    const writes = Object.keys(permissions).filter((name) => permissions[name] === 'write')
    const allowed: Record<string, string[]> = {
      'bot.yml': ['actions', 'issues', 'pull-requests'],
      'fork-run.yml': [],
    }
    expect(writes.sort()).toEqual(allowed[file] ?? ['checks', 'pull-requests'])
    expect(permissions['contents']).toBe('read')
  })
})

test.each(['fork-report.yml', 'bot.yml'])('%s has rights and so checks out nothing', (file) => {
  expect(stepsOf(workflow(file)).filter(({ uses }) => uses?.includes('checkout'))).toEqual([])
})

test('the report of forks follows the run of forks, and looks for what that stored', () => {
  const [run, report] = [workflow('fork-run.yml'), workflow('fork-report.yml')]
  expect(report.on['workflow_run']).toEqual({ workflows: [run.name], types: ['completed'] })
  const [stored, read] = [ourStepsOf('fork-run.yml')[0]?.with ?? {}, ourStepsOf('fork-report.yml')[0]?.with ?? {}]
  for (const name of ['artifact-name', 'comment-key']) expect(read[name]).toEqual(stored[name])
  expect(read['mode']).toBe('report')
})

test('as many shards run as the plan is cut into, and one job merges them whatever became of them', () => {
  const { jobs } = workflow('shards.yml')
  const count = jobs['shard']?.strategy?.matrix.shard
  expect(count).toEqual(Array.from({ length: 8 }, (_, index) => index + 1))
  const [shard, merge] = ourStepsOf('shards.yml').map((step) => step.with ?? {})
  expect(shard?.['shard']).toBe('${{ matrix.shard }}/8')
  expect([merge?.['mode'], jobs['merge']?.needs, jobs['merge']?.if]).toEqual(['merge', 'shard', '${{ !cancelled() }}'])
  for (const name of ['artifact-name', 'input', 'target']) expect(merge?.[name]).toEqual(shard?.[name])
})

test('the bot starts the workflow that there is', () => {
  expect(FILES).toContain(ourStepsOf('bot.yml')[0]?.with?.['bot-workflow'])
})
