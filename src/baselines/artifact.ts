import { type Baseline, type LoadedBaseline, parseBaseline } from '../core/baseline.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { describeFailure, type GitHubClient, type GitHubContext, isGone, type TrustedRun } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import type { BaselineStore } from './baseline-store.ts'
import { downloadArtifact } from './download.ts'
import { type FoundArtifact, findArtifact, nameOfAttempt, type Relation } from './find-artifact.ts'
import { readArchive } from './read-archive.ts'
import { saveDecision } from './save-decision.ts'
import { uploadBaseline } from './upload.ts'

export interface ArtifactPlace {
  /** Absent without a token: then nothing can be looked up. */
  readonly client?: GitHubClient | undefined
  readonly context: GitHubContext
  readonly name: string
  readonly retentionDays: number
  /** Told the id of the artifact that was saved. */
  readonly onSaved?: (artifactId: number) => void
}

/**
 * Baselines kept as artifacts of the default branch's own runs. `save` never throws: it says in one line when a save
 * is not due, and warns when one fails.
 */
export function artifactBaseline(place: ArtifactPlace, host: Host): BaselineStore {
  return { load: () => load(place, host), save: (baseline) => save(baseline, place, host) }
}

async function load(place: ArtifactPlace, host: Host): Promise<LoadedBaseline> {
  const { client, context, name } = place
  if (!client) return { kind: 'unreadable', detail: 'there is no token to look for it with' }
  const branches = branchesOf(context)
  if (!branches) return { kind: 'unreadable', detail: 'the event does not say which branch this will be merged into' }
  if (context.workflowPath === undefined) {
    return {
      kind: 'unreadable',
      detail: 'GITHUB_WORKFLOW_REF does not name the workflow whose earlier runs can be trusted',
    }
  }
  try {
    const found = await findArtifact(client, context, { name, branches })
    return found.kind === 'found' ? await read(found, client, host) : describeMissing(found)
  } catch (error) {
    if (error instanceof UserError) return { kind: 'unreadable', detail: describeFailure(error) }
    throw error
  }
}

/** The branch this will be merged into; the default branch beside it, because only that one saves. */
function branchesOf({ baseBranch, defaultBranch }: GitHubContext): [string, ...string[]] | undefined {
  const [first, ...rest] = [...new Set([baseBranch, defaultBranch])].filter((branch) => branch !== undefined)
  return first === undefined ? undefined : [first, ...rest]
}

async function read(
  { run, artifact, relation }: Extract<FoundArtifact, { kind: 'found' }>,
  client: GitHubClient,
  host: Host,
): Promise<LoadedBaseline> {
  const which = describeRun(run)
  try {
    const text = await readArchive(await downloadArtifact(client, artifact, host), artifact.digest)
    const baseline = parseBaseline(text, which)
    if (baseline.commit !== run.headSha) {
      const claimed = baseline.commit === undefined ? 'no commit' : plainText(baseline.commit, { maxLength: 40 })
      return { kind: 'unreadable', detail: `${which} tested ${run.headSha}, but its artifact names ${claimed}` }
    }
    return { kind: 'ok', baseline, source: `${which} (${describeRelation(relation)}${ageOf(run, host)} old)` }
  } catch (error) {
    if (isGone(error)) return { kind: 'expired', detail: `the artifact of ${which} is gone` }
    if (error instanceof UserError && error.code === 'BASELINE_UNREADABLE') {
      return { kind: 'unreadable', detail: `artifact of ${which}: ${error.message}` }
    }
    throw error
  }
}

function describeMissing(found: Exclude<FoundArtifact, { kind: 'found' }>): LoadedBaseline {
  if (found.kind === 'expired') {
    const day = found.artifact.expiresAt?.slice(0, 10)
    return {
      kind: 'expired',
      detail: `the artifact of ${describeRun(found.run)} was kept ${day === undefined ? 'no longer' : `until ${day}`}`,
    }
  }
  const branch = plainText(found.branch, { maxLength: 100 })
  const detail = found.hasRuns
    ? `no run of ${branch} has stored one`
    : `this workflow has not completed a run on ${branch}`
  return { kind: 'none', detail }
}

function describeRun({ number, branch }: TrustedRun): string {
  return `run ${number} on ${plainText(branch, { maxLength: 100 })}`
}

/** Ready to be followed by the age. */
function describeRelation(relation: Relation): string {
  switch (relation.kind) {
    case 'merge_base':
      return 'merge base, '
    case 'previous_commit':
      return 'the commit before, '
    case 'ancestor': {
      const commits = `${relation.distance} commit${relation.distance === 1 ? '' : 's'}`
      return `${commits} before ${relation.of === 'merge_base' ? 'the merge base' : 'the previous one'}, `
    }
    case 'unrelated':
      return 'the newest run, because neither the merge base nor a commit before it has one, '
    case 'self':
      return ''
  }
}

function ageOf({ finishedAt }: TrustedRun, host: Host): string {
  const minutes = Math.max(0, Math.round((host.now() - Date.parse(finishedAt)) / 60_000))
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

async function save(baseline: Baseline, place: ArtifactPlace, host: Host): Promise<void> {
  const { context, name, retentionDays } = place
  const decision = saveDecision(context, { isInterrupted: host.signal.aborted, cases: baseline.cases.length })
  if (!decision.isDue) {
    host.log.info(`No baseline is saved: ${plainText(decision.reason)}.`)
    return
  }
  const upload = { name: nameOfAttempt(name, context.runAttempt), retentionDays }
  const id = await uploadBaseline({ ...baseline, ...baselineOrigin(context) }, upload, context, host)
  if (id !== undefined) place.onSaved?.(id)
}

/** What the lookup will check: without the tested commit a baseline cannot be trusted. */
export function baselineOrigin({
  headSha,
  branch,
  runId,
}: GitHubContext): Pick<Baseline, 'commit' | 'branch' | 'runId'> {
  return {
    ...(headSha === undefined ? {} : { commit: headSha }),
    ...(branch === undefined ? {} : { branch }),
    runId,
  }
}
