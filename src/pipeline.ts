import { blobOf, manifestOf } from './blobs/index.ts'
import type { Config } from './config/config.ts'
import { TargetError, UserError } from './core/errors.ts'
import type { Host } from './core/host.ts'
import { resolveIdentity } from './core/identity.ts'
import type { Json } from './core/json.ts'
import type { Report } from './core/report.ts'
import { conclude, type ToJudge } from './pipeline/conclude.ts'
import { type Merged, runMerged } from './pipeline/merged.ts'
import type { Ports } from './pipeline/ports.ts'
import { runRounds } from './pipeline/rounds.ts'
import type { Reporter } from './reporters/reporter.ts'
import { endedRun } from './runner/ended-run.ts'
import { type EndedRun, plannedRuns } from './runner/plan.ts'
import { disposeAll, type Prepared } from './setup/prepare.ts'

export type { Merged } from './pipeline/merged.ts'
export type { Ports } from './pipeline/ports.ts'

/** The story, between what its author wants before and after everything. Everything was loaded and checked before. */
export async function runTests(prepared: Prepared, config: Config, host: Host, ports: Ports): Promise<Report> {
  return await surrounded(prepared, { host, ports }, (inner) => runAndConclude(prepared, config, host, inner))
}

/** Judges what several jobs gathered as if it had been one, and reports it once. Throws a UserError. */
export async function mergeTests(merged: Merged, config: Config, host: Host, ports: Ports): Promise<Report> {
  const { prepared } = merged
  if (!prepared) return await runMerged(merged, config, host, ports)
  return await surrounded(prepared, { host, ports }, (inner) => runMerged(merged, config, host, inner))
}

interface Outside {
  readonly host: Host
  readonly ports: Ports
}

async function surrounded(
  prepared: Prepared,
  { host, ports }: Outside,
  story: (ports: Ports) => Promise<Report>,
): Promise<Report> {
  const { aroundAll, around, targets, means } = prepared
  const ended: EndedRun[] = []
  let data: Json = null
  try {
    data = await beforeAll(prepared)
    const reporter = aroundAll.after ? keepingEnded(ports.reporter, ended) : ports.reporter
    return await story({ ...ports, reporter })
  } finally {
    // Last, and whatever happened: it puts away what was set up.
    await afterAll(aroundAll, { ended, data }, host)
    await disposeAll([...targets, means, around])
  }
}

/** Run in rounds, judge, report, save. */
async function runAndConclude(prepared: Prepared, config: Config, host: Host, ports: Ports): Promise<Report> {
  const { plan } = prepared
  const { reporter } = ports
  const startedAtMs = host.now()
  const loaded = await ports.loadBaseline?.()
  const earlier = await ports.loadEarlier?.()
  const labels = prepared.targets.map((target) => target.label)
  const connector = config.connector === undefined ? {} : { connector: config.connector }
  await reporter.onStart?.({
    startedAt: new Date(startedAtMs).toISOString(),
    cases: plan.cases.map(({ item }) => item),
    runsPerCase: plan.runsPerCase,
    targets: labels,
    ...connector,
  })
  const gathered = await runRounds({ prepared, config, host, ports, reporter, loaded, earlier })
  const toJudge: ToJudge = {
    ...gathered,
    startedAtMs,
    inputs: config.input,
    targets: labels,
    ...connector,
    identity: resolveIdentity({ flags: plan.flags, context: plan.context }),
    runsPerCase: plan.runsPerCase,
    maxRuns: plan.maxRuns,
    plannedRuns: plannedRuns(plan),
    warnings: prepared.warnings,
    waivers: prepared.policies.waivers,
  }
  const judge = () => conclude(toJudge, { loaded, config, host, ports, reporter })
  const save = () => saveBlob(toJudge, { prepared, host, ports })
  if (!gathered.interrupted) {
    await save()
    return await judge()
  }
  // A job that is cancelled has seconds left: its report comes first.
  try {
    return await judge()
  } finally {
    await save()
  }
}

interface BlobScope {
  readonly prepared: Prepared
  readonly host: Host
  readonly ports: Ports
}

/** What was paid for must outlive whatever breaks afterwards. */
async function saveBlob(toJudge: ToJudge, { prepared, host, ports }: BlobScope): Promise<void> {
  if (!ports.saveBlob) return
  const { plan } = prepared
  const shard = plan.cut === undefined ? {} : { shard: plan.cut.shard }
  await ports.saveBlob(blobOf(toJudge, { manifest: manifestOf(plan), finishedAtMs: host.now(), ...shard }))
}

async function beforeAll({ aroundAll, plan }: Prepared): Promise<Json> {
  try {
    return (await aroundAll.before?.(plan.cases.map(({ item }) => item))) ?? null
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    throw new UserError(error.message, { code: 'INVALID_SUITE', cause: error })
  }
}

interface Finished {
  readonly ended: readonly EndedRun[]
  readonly data: Json
}

async function afterAll({ after }: Prepared['aroundAll'], { ended, data }: Finished, host: Host): Promise<void> {
  try {
    await after?.(ended, data)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    host.log.warn(error.message)
  }
}

function keepingEnded(reporter: Reporter, ended: EndedRun[]): Reporter {
  return {
    ...reporter,
    async onRun(result, item) {
      ended.push(endedRun(result, item.id))
      await reporter.onRun?.(result, item)
    },
  }
}
