import { TargetError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json.ts'
import type { SessionRecorder } from '../../core/session-keeper.ts'
import type { EmittedEvent } from '../../core/trace.ts'
import type { RunRequest, TargetContext } from '../target.ts'
import { converse } from './converse.ts'
import { checkFiles } from './file-checks.ts'
import type { Offers, Preparation } from './offers.ts'
import type { Server } from './server.ts'
import type { Servers } from './servers.ts'
import type { Limits } from './turn.ts'
import { makeWorkspace, type Workspace } from './workspace.ts'

interface Running {
  readonly servers: Servers
  readonly offers: Offers
  readonly limits: Limits
  readonly context: TargetContext
}

/** One run in a copy and a session of its own, both gone afterwards. */
export async function* runCase(request: RunRequest, running: Running): AsyncGenerator<EmittedEvent> {
  failIfAborted(request.signal)
  const { servers, offers, context } = running
  const prepared = await offers.prepare(request.case)
  const { server, release } = await servers.lease()
  try {
    failIfAborted(request.signal)
    const workspace = await makeWorkspace(prepared.source, { folder: server.folder, host: context.host })
    try {
      yield* runIn(workspace, { server, prepared, request, running })
    } finally {
      await workspace.remove()
    }
  } finally {
    await release()
  }
}

interface Run {
  readonly server: Server
  readonly prepared: Preparation
  readonly request: RunRequest
  readonly running: Running
}

async function* runIn(workspace: Workspace, run: Run): AsyncGenerator<EmittedEvent> {
  const { server, prepared, request, running } = run
  const { plan, choice } = prepared
  const { host, keeper, asksApproval = () => false } = running.context
  const recorder = await keeper?.open({ case: request.case, run: request.run })
  let failure: string | undefined
  try {
    yield* converse({
      title: request.case.id,
      plan,
      choice,
      limits: plan.turnTimeoutMs === undefined ? running.limits : { ...running.limits, turnMs: plan.turnTimeoutMs },
      client: await server.client(workspace.path),
      server,
      directory: workspace.path,
      ...(recorder === undefined ? {} : { recorder }),
      ...(request.learned === undefined ? {} : { learned: request.learned }),
      asksApproval,
      signal: request.signal,
      host,
    })
    yield* await checkFiles(plan.files, workspace.path)
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error)
    throw error
  } finally {
    await close(recorder, workspace, { ...choice, failure })
  }
}

/** Longer ones are no evidence any more, only bulk. */
const LONGEST_DIFF = 1_000_000

async function close(
  recorder: SessionRecorder | undefined,
  workspace: Workspace,
  { agent, model, failure }: Preparation['choice'] & { readonly failure: string | undefined },
): Promise<void> {
  if (!recorder) return
  const diff = await workspace.diff().catch(() => '')
  const facts: JsonObject = {
    agent,
    ...(model === undefined ? {} : { model: `${model.providerID}/${model.modelID}` }),
    ...(failure === undefined ? {} : { error: failure }),
    diff: diff.length > LONGEST_DIFF ? `${diff.slice(0, LONGEST_DIFF)}…` : diff,
  }
  await recorder.close(facts)
}

function failIfAborted({ aborted, reason }: AbortSignal): void {
  if (aborted) throw new TargetError('the run was stopped', { code: 'ABORTED', cause: reason })
}
