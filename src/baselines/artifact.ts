import { describeUnsent, obstacleTo, uploadArtifact } from '../artifacts/index.ts'
import type { Baseline, BaselineOrigin, LoadedBaseline } from '../core/baseline.ts'
import { UserError } from '../core/errors.ts'
import type { Host } from '../core/host.ts'
import { describeFailure, type GitHubClient, type GitHubContext } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import type { BaselineStore } from './baseline-store.ts'
import { countCalls } from './call-count.ts'
import { describeRun } from './describe-run.ts'
import { type Finding, findArtifacts, nameOfAttempt } from './find-artifact.ts'
import { ENTRY_NAME, type ReadWindow, readWindow } from './read-window.ts'
import { saveDecision } from './save-decision.ts'

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
 * Baselines kept as artifacts of the default branch's own runs. Each holds the rolling window as its run knew it;
 * readers unite the newest few. Looked up once, in ten calls at most. `save` never throws: it says in one line when a
 * save is not due, and warns when one fails.
 */
export function artifactBaseline(place: ArtifactPlace, host: Host): BaselineStore {
  let found: Promise<ReadWindow> | undefined
  const once = (): Promise<ReadWindow> => {
    found ??= lookUp(place, host)
    return found
  }
  return {
    load: async () => (await once()).loaded,
    save: (append) => save(append, { ...place, once }, host),
  }
}

async function lookUp({ client, context, name }: ArtifactPlace, host: Host): Promise<ReadWindow> {
  const unreadable = (detail: string): ReadWindow => ({ loaded: { kind: 'unreadable', detail } })
  if (!client) return unreadable('there is no token to look for it with')
  const branches = branchesOf(context)
  if (!branches) return unreadable('the event does not say which branch this will be merged into')
  if (context.workflowPath === undefined) {
    return unreadable('GITHUB_WORKFLOW_REF does not name the workflow whose earlier runs can be trusted')
  }
  try {
    const counted = countCalls(client)
    const found = await findArtifacts(counted, context, { name, branches })
    if (found.kind !== 'found') return { loaded: describeMissing(found) }
    return await readWindow(found, { client: counted.client, host, own: context.headSha })
  } catch (error) {
    if (error instanceof UserError) return unreadable(describeFailure(error))
    throw error
  }
}

/** The branch this will be merged into; the default branch beside it, because only that one saves. */
function branchesOf({ baseBranch, defaultBranch }: GitHubContext): [string, ...string[]] | undefined {
  const [first, ...rest] = [...new Set([baseBranch, defaultBranch])].filter((branch) => branch !== undefined)
  return first === undefined ? undefined : [first, ...rest]
}

function describeMissing(found: Exclude<Finding, { kind: 'found' }>): LoadedBaseline {
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

interface Saving extends ArtifactPlace {
  readonly once: () => Promise<ReadWindow>
}

async function save(append: Parameters<BaselineStore['save']>[0], place: Saving, host: Host): Promise<void> {
  const { context, name, retentionDays, once } = place
  if (!isDue(context, host)) return
  const obstacle = obstacleTo(context, host)
  if (obstacle !== undefined) {
    host.log.warn(describeUnsent('baseline', { kind: 'impossible', why: obstacle }))
    return
  }
  const { loaded, window } = await once()
  if (loaded.kind === 'unreadable') {
    host.log.info(`The saved baseline holds this run alone: ${plainText(loaded.detail)}.`)
  }
  const baseline = ofRun(append(window), context)
  if (!isDue(context, host, baseline.cases.length)) return
  const text = `${JSON.stringify(baseline)}\n`
  const upload = { what: 'baseline', name: nameOfAttempt(name, context.runAttempt), entryName: ENTRY_NAME, text }
  const id = await uploadArtifact({ ...upload, retentionDays }, context, host)
  if (id !== undefined) place.onSaved?.(id)
}

/** Says why where it is not. */
function isDue(context: GitHubContext, host: Host, cases?: number): boolean {
  const known = cases === undefined ? {} : { cases }
  const decision = saveDecision(context, { isInterrupted: host.signal.aborted, ...known })
  if (!decision.isDue) host.log.info(`No baseline is saved: ${plainText(decision.reason)}.`)
  return decision.isDue
}

/** What the lookup will check is what GitHub says, whatever was added. */
function ofRun(baseline: Baseline, context: GitHubContext): Baseline {
  const { id: _id, attempt: _attempt, ...origin } = baselineOrigin(context)
  return { ...baseline, ...origin }
}

/** Where the results of this run come from; `name` tells the jobs of one workflow run apart. */
export function baselineOrigin(
  { headSha, branch, runId, runAttempt }: GitHubContext,
  name = 'default',
): BaselineOrigin {
  return {
    id: `${runId}.${runAttempt}.${name}`,
    ...(headSha === undefined ? {} : { commit: headSha }),
    ...(branch === undefined ? {} : { branch }),
    runId,
    attempt: runAttempt,
  }
}
