import { artifactBaseline, type BaselineStore, baselineOrigin } from '../baselines/index.ts'
import type { Config } from '../config/config.ts'
import type { BaselineOrigin } from '../core/baseline.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import {
  createDenials,
  type Denials,
  describeFailure,
  type GitHubClient,
  type GitHubContext,
  openGitHub,
  repositoryPaths,
  runLinks,
} from '../github/index.ts'
import type { ReportLinks } from '../render/index.ts'
import { checkRun, jobSummary, prComment, type Reporter, workflowAnnotations } from '../reporters/index.ts'
import { jobSectionOf } from './job-section.ts'

/** Addresses of what was posted, for the outputs. */
interface Published {
  commentUrl?: string
  commentId?: number
  /** Of the results. */
  artifactId?: number
  checkUrl?: string
}

export interface GitHubPorts {
  /** Absent without a usable token. */
  readonly client?: GitHubClient
  readonly reporters: readonly Reporter[]
  /** The artifact store; absent where a file was given. */
  readonly baseline?: BaselineStore
  readonly saveTo?: BaselineStore
  readonly origin: BaselineOrigin
  readonly published: Published
  /** One sentence on what the token was refused, once everything has been tried. */
  describeDenials(): string | undefined
  /** Whatever did not get to GitHub, and why: a clause each. */
  missing(): readonly string[]
}

interface GitHubPortsOptions {
  readonly config: Config
  readonly host: Host
  readonly context: GitHubContext
  /** Writes one line to the step's output as it is: for workflow commands only. */
  readonly command: (line: string) => void
}

/** Heading of comment, check run and summary; the key tells several jobs apart. */
function headingOf(config: Config): string {
  const key = config['comment-key']
  return key === 'default' ? 'Agent tests' : `Agent tests · ${key}`
}

/** Everything that the action adds to the command line: comment, check run, annotations, summary, artifacts. */
export async function githubPorts(options: GitHubPortsOptions): Promise<GitHubPorts> {
  const { config, host, context } = options
  const denials = createDenials(context)
  const client = await clientFor(context, config['github-token'], { host, denials })
  const pathOf = await repositoryPaths(context, host.cwd)
  const rerunFolder = pathOf('.')
  const ofRun = runLinks(context, pathOf)
  const published: Published = {}
  const links: ReportLinks = {
    ...ofRun,
    // Known once the results are stored, which comes before any report.
    get reportUrl() {
      const { artifactId } = published
      return artifactId === undefined || !ofRun.runUrl ? undefined : `${ofRun.runUrl}/artifacts/${artifactId}`
    },
    rerunArguments: rerunArguments(config, host),
    ...(rerunFolder === undefined ? {} : { rerunFolder }),
  }
  const heading = headingOf(config)
  const section = jobSectionOf(config, context, host)
  const annotations = workflowAnnotations({
    pathOf,
    maxAnnotations: config['max-annotations'],
    redact: (text) => host.secrets.redact(text),
    print: options.command,
  })
  const shared = { context, host, denials, heading, links }
  const check = (opened: GitHubClient) =>
    checkRun({
      ...shared,
      client: opened,
      name: config['check-name'],
      ...(section.label === undefined ? {} : { label: section.label }),
      maxAnnotations: config['max-annotations'],
      pathOf,
      fallback: annotations,
      onPublished: ({ url }) => {
        published.checkUrl = url
      },
    })
  const comment = (opened: GitHubClient) =>
    prComment({
      ...shared,
      client: opened,
      mode: config.comment,
      key: config['comment-key'],
      section,
      onPublished: ({ id, url }) => {
        published.commentId = id
        published.commentUrl = url
      },
    })
  const { shard } = config
  const summary = jobSummary({ host, heading, links, ...(shard ? { shard } : {}) })
  const posted = [client && config['check-run'] ? check(client) : annotations, ...(client ? [comment(client)] : [])]
  // The parts of a run are judged together, and told of once, by the job that merges them.
  const reporters: Reporter[] = [...(config['job-summary'] ? [summary] : []), ...(shard ? [] : posted)]
  const stores = storesOf(config, { client, context, host })
  return {
    ...(client ? { client } : {}),
    reporters,
    ...stores,
    origin: baselineOrigin(context, config['artifact-name']),
    published,
    describeDenials: () => denials.describe(),
    missing: () => denials.missing(),
  }
}

/** What a local re-run needs to test the same thing. */
function rerunArguments(config: Config, host: Host): string[] {
  const given = [
    ...(config.target === undefined ? [] : ['--target', config.target]),
    ...(config.name === undefined ? [] : ['-n', config.name]),
    ...(config.connector === undefined ? [] : ['-c', config.connector]),
  ]
  return given.map((argument) => host.secrets.redact(argument))
}

/** Without a usable token the tests still run; what needs one is left out, with one warning. */
async function clientFor(
  context: GitHubContext,
  token: string | undefined,
  { host, denials }: { readonly host: Host; readonly denials: Denials },
): Promise<GitHubClient | undefined> {
  try {
    return await openGitHub(context, token, host)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const why = describeFailure(error)
    host.log.warn(`No comment and no check run: ${why}`)
    denials.lose('comments and check runs', why)
    return undefined
  }
}

interface StoreParts {
  readonly client: GitHubClient | undefined
  readonly context: GitHubContext
  readonly host: Host
}

function storesOf(config: Config, { client, context, host }: StoreParts): Pick<GitHubPorts, 'baseline' | 'saveTo'> {
  const artifact = { name: config['artifact-name'], retentionDays: config['retention-days'] }
  const store = artifactBaseline({ client, context, ...artifact }, host)
  return {
    ...(config.baseline === 'auto' ? { baseline: store } : {}),
    ...(config['save-baseline'] === 'auto' ? { saveTo: store } : {}),
  }
}
