import type { CaseReport } from '../../core/case-report.ts'
import { UserError } from '../../core/errors.ts'
import { yamlString } from '../../core/quarantine.ts'
import { ACCEPT_LABEL } from '../../core/waiver.ts'
import { addLabel, newestRunOf, rerun, startWorkflow } from '../../github/index.ts'
import { fencedBlock, inlineCode, inlineText } from '../../lib/escape.ts'
import { dayOf } from '../../policies/index.ts'
import { quotePattern } from '../../render/index.ts'
import { type Answer, confused, done, refused } from './answer.ts'
import { explain, unknownCase } from './explain.ts'
import { type BotCommand, USAGE } from './parse-commands.ts'
import { caseNamed, type Results } from './results.ts'
import type { BotWorld } from './world.ts'

/** Does what was asked for; throws a UserError where GitHub does not let it. */
export async function answerTo(command: BotCommand, world: BotWorld): Promise<Answer> {
  switch (command.kind) {
    case 'help':
      return done(helpText())
    case 'rerun':
      return await rerunCases(command.cases, world)
    case 'accept':
      return await accept(command, world)
    case 'explain':
      return await explain(command.name, world)
    case 'refresh_baseline':
      return await refreshBaseline(world)
    case 'mistaken':
      return confused(`Not understood: ${inlineText(command.problem)}.\n\n${helpText()}`)
  }
}

function helpText(): string {
  const lines = USAGE.map(([usage, does]) => `- ${inlineCode(`/agent-test ${usage}`)} ${does}`)
  return ['Commands stand in the first lines of a comment:', '', ...lines].join('\n')
}

/** Input of the workflow that the names of the cases are handed over by, as a pattern for the action's `run`. */
const CASES_INPUT = 'cases'

async function rerunCases(cases: readonly string[], world: BotWorld): Promise<Answer> {
  const { client, workflow, pull } = world
  if (cases.length === 0) return await rerunNewest(world)
  const results = await knownResults(world)
  const unknown = results && cases.find((name) => !findCase(name, results))
  if (results && unknown !== undefined) return unknownCase(unknown, results)
  const start = { workflow, branch: pull.headBranch, inputs: { [CASES_INPUT]: patternOf(cases, results) } }
  // GitHub starts workflows on branches of this repository alone.
  if (!pull.isFork && (await startWorkflow(client, start))) {
    const text = `The workflow was started on ${inlineCode(pull.headBranch)} for ${listed(cases)}: ${runsLink(world)}.`
    return done(`${text} Its check run will stand at this pull request.`)
  }
  const why = pull.isFork
    ? 'the branch of a fork cannot be started by hand'
    : `the workflow has no \`workflow_dispatch\` with the input \`${CASES_INPUT}\``
  const answer = await rerunNewest(world)
  return { ...answer, text: `Not for single cases, because ${why}. ${answer.text}` }
}

/** The action's `run` knows cases by their ids; without results to look them up in, names are taken for ids. */
function patternOf(cases: readonly string[], results: Results | undefined): string {
  const ids = cases.map((name) => (results && findCase(name, results)?.id) ?? name)
  return `^(?:${[...new Set(ids)].map(quotePattern).join('|')})$`
}

function findCase(name: string, { legs }: Results): CaseReport | undefined {
  return legs.map(({ report }) => caseNamed(report, name)).find((item) => item !== undefined)
}

/** Names can be checked where there are results; where these cannot be read, names are taken as they are. */
async function knownResults(world: BotWorld): Promise<Results | undefined> {
  try {
    return await world.results()
  } catch (error) {
    if (error instanceof UserError) return undefined
    throw error
  }
}

async function rerunNewest(world: BotWorld): Promise<Answer> {
  const { client, workflow, pull } = world
  const run = await newestRunOf(client, workflow, pull.headSha)
  const commit = inlineCode(pull.headSha.slice(0, 7))
  if (!run) return refused(`${inlineCode(workflow)} has no run for ${commit} yet.`)
  const link = runLink(run, world)
  if (run.isRunning) return refused(`${link} is still running.`)
  await rerun(client, run)
  const what = run.hasFailed ? 'The failed jobs' : 'All jobs, because none has failed,'
  return done(`${what} of ${link} run again, as attempt ${run.attempt + 1}.`)
}

const ACCEPTED_DAYS = 30
const DAY_MS = 86_400_000

async function accept(
  { name, reason }: { readonly name: string; readonly reason: string },
  world: BotWorld,
): Promise<Answer> {
  const { client, config, host, pull } = world
  const file = config['accept-file']
  if (file === '') return refused('There is no list of accepted changes: the input `accept-file` is empty.')
  const results = name === '*' ? undefined : await knownResults(world)
  const found = results && findCase(name, results)
  if (results && !found) return unknownCase(name, results)
  await addLabel(client, pull.prNumber ?? 0, ACCEPT_LABEL)
  const until = dayOf(host.now() + ACCEPTED_DAYS * DAY_MS)
  const entry = [`- case: ${yamlString(found?.key ?? name)}`, `  reason: ${yamlString(reason)}`, `  until: ${until}`]
  return done(
    [
      `Commit these lines to ${inlineCode(file)} on this branch, which accepts the change of ${inlineCode(found?.key ?? name)}:`,
      fencedBlock(entry.join('\n'), { language: 'yaml' }),
      `Until then the label ${inlineCode(ACCEPT_LABEL)}, now set, accepts every change of this pull request from the next run on. Remove it once the lines are committed.`,
    ].join('\n\n'),
  )
}

async function refreshBaseline(world: BotWorld): Promise<Answer> {
  const { client, workflow, pull } = world
  const branch = pull.defaultBranch
  if (branch === undefined) return refused('The event does not name the default branch.')
  if (await startWorkflow(client, { workflow, branch })) {
    return done(
      `${inlineCode(workflow)} was started on ${inlineCode(branch)}: ${runsLink(world)}. Its results renew the baseline.`,
    )
  }
  return refused(`${inlineCode(workflow)} cannot be started by hand: it needs \`workflow_dispatch\` under \`on\`.`)
}

function listed(cases: readonly string[]): string {
  const shown = cases.slice(0, 10).map((name) => inlineCode(name, { maxLength: 100 }))
  return cases.length > shown.length ? `${shown.join(', ')} and ${cases.length - shown.length} more` : shown.join(', ')
}

function runLink({ id, number }: { readonly id: number; readonly number: number }, { pull }: BotWorld): string {
  return `[run ${number}](${pull.serverUrl}/${pull.owner}/${pull.repo}/actions/runs/${id})`
}

function runsLink({ pull, workflow }: BotWorld): string {
  return `[its runs](${pull.serverUrl}/${pull.owner}/${pull.repo}/actions/workflows/${workflow})`
}
