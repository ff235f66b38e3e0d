import { problemsError, UserError } from '../../core/errors.ts'
import { redactDeep } from '../../core/redact.ts'
import {
  type Comment,
  type CommentEvent,
  contextOfPull,
  describeFailure,
  type GitHubClient,
  type GitHubContext,
  loadCommentEvent,
  mayWrite,
  openGitHub,
  openOwnComments,
  react,
} from '../../github/index.ts'
import { inlineText, plainText } from '../../lib/escape.ts'
import { type Answer, refused } from '../bot/answer.ts'
import { answerTo } from '../bot/answers.ts'
import { type BotCommand, parseCommands } from '../bot/parse-commands.ts'
import { loadResults, type Results } from '../bot/results.ts'
import type { BotWorld } from '../bot/world.ts'
import type { Job, Outcome, RunMode } from './job.ts'

const NOTHING_DONE: Outcome = {
  outputs: { status: 'passed', 'gate-status': 'open', 'exit-reason': 'passed' },
  exitReason: 'passed',
  message: '',
}

/** `mode: bot`: does what the comment that started this run asks for, and answers it. Checks out nothing. */
export const botJob: RunMode = async (job, context) => {
  const { config, host } = job
  const event = await loadCommentEvent(host)
  if (!event) {
    const message = 'mode bot answers comments, and another event started this run'
    throw problemsError('INVALID_OPTIONS', [{ field: 'input mode', message, hint: 'use it with on: issue_comment' }])
  }
  const request = requestOf(event)
  if ('ignored' in request) {
    host.log.info(`Nothing to do: ${request.ignored}.`)
    return NOTHING_DONE
  }
  const workflow = config['bot-workflow']
  if (workflow === undefined) {
    const message = 'mode bot has to know which workflow tests pull requests'
    throw problemsError('INVALID_OPTIONS', [{ field: 'input bot-workflow', message, hint: 'give its file name' }])
  }
  const client = await openGitHub(context, config['github-token'], host)
  if (!(await mayWrite(client, event.author.login))) {
    // No answer: whoever may not command us must not make us talk either.
    await react(client, event.id, '-1')
    host.log.info(`${plainText(event.author.login)} may not write to this repository, so nothing is done.`)
    return NOTHING_DONE
  }
  return await serve(request, { job, context, client, event, workflow })
}

interface Request {
  readonly commands: readonly BotCommand[]
  readonly prNumber: number
}

/** Only what a person has just written on a pull request, and only what begins with our name. */
function requestOf({ action, author, body, prNumber }: CommentEvent): Request | { readonly ignored: string } {
  if (action !== 'created') return { ignored: 'only new comments are answered' }
  if (author.isBot) return { ignored: 'bots are not answered' }
  if (prNumber === undefined) return { ignored: 'this is no pull request' }
  const commands = parseCommands(body)
  return commands.length === 0 ? { ignored: 'the comment does not begin with /agent-test' } : { commands, prNumber }
}

interface Service {
  readonly job: Job
  readonly context: GitHubContext
  readonly client: GitHubClient
  readonly event: CommentEvent
  readonly workflow: string
}

async function serve({ commands, prNumber }: Request, service: Service): Promise<Outcome> {
  const { job, client, event } = service
  const marker = `<!-- agent-test-reply:${event.id} -->`
  const replies = await openOwnComments(client, job.host, { prNumber, marker })
  if ((await replies.list()).length > 0) {
    job.host.log.info('This comment was answered before.')
    return NOTHING_DONE
  }
  await react(client, event.id, 'eyes')
  const world = await worldOf(prNumber, service)
  const answers: Answer[] = []
  for (const command of commands) answers.push(await answerOrRefuse(command, world))
  const body = replyTo(event, prNumber, { answers, marker, service })
  const reply = await replies.create(body, (comment: Comment) => comment.body?.startsWith(marker) === true)
  await react(client, event.id, reactionTo(answers))
  job.host.log.info(`Answered: ${reply.html_url}`)
  return { ...NOTHING_DONE, outputs: { ...NOTHING_DONE.outputs, 'comment-url': reply.html_url } }
}

async function worldOf(prNumber: number, { job, context, client, workflow }: Service): Promise<BotWorld> {
  const { config, host } = job
  const pull = { ...(await contextOfPull(client, context, prNumber)), workflowPath: `.github/workflows/${workflow}` }
  let results: Promise<Results | undefined> | undefined
  return {
    client,
    host,
    config,
    pull,
    workflow,
    results: () => {
      results ??= loadResults({ client, config, host, pull, workflow })
      return results
    },
  }
}

/** What GitHub refuses is an answer, too. */
async function answerOrRefuse(command: BotCommand, world: BotWorld): Promise<Answer> {
  try {
    return await answerTo(redactDeep(command, world.host.secrets), world)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return refused(`That could not be done: ${inlineText(describeFailure(error), { maxLength: 1_000 })}.`)
  }
}

interface Reply {
  readonly answers: readonly Answer[]
  readonly marker: string
  readonly service: Service
}

const LONGEST_REPLY = 60_000
const TOO_LONG = 'This answer is too long beside the others: ask for it in a comment of its own.'

function replyTo({ id }: CommentEvent, prNumber: number, { answers, marker, service }: Reply): string {
  const { serverUrl, owner, repo } = service.context
  const link = `${serverUrl}/${owner}/${repo}/pull/${prNumber}#issuecomment-${id}`
  let room = LONGEST_REPLY
  const texts = answers.map(({ text }) => {
    room -= text.length
    return room < 0 ? TOO_LONG : text
  })
  return `${marker}\n${texts.join('\n\n---\n\n')}\n\n<sub>agent-test · answer to [this comment](${link})</sub>\n`
}

function reactionTo(answers: readonly Answer[]): '+1' | '-1' | 'confused' {
  if (answers.some(({ mood }) => mood === 'confused')) return 'confused'
  return answers.some(({ mood }) => mood === 'refused') ? '-1' : '+1'
}
