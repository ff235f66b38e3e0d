import { type Problem, TargetError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject } from '../../core/json.ts'
import type { SessionPlan } from '../../core/session.ts'
import type { Case } from '../../core/suite.ts'
import { type Choice, choiceProblems, choose, type Offer, readOffer } from './choice.ts'
import { planOf, planProblems } from './plan.ts'
import type { Servers } from './servers.ts'
import { makeWorkspace, sourceFault, sourceOf, type WorkspaceSource } from './workspace.ts'

/** What a run needs to know before it begins. */
export interface Preparation {
  readonly plan: SessionPlan
  readonly source: WorkspaceSource
  readonly choice: Choice
}

export interface Offers {
  /** Whatever keeps the case from being run; asks a server what it offers in a copy of the case's workspace. */
  check(item: Case): Promise<readonly Problem[]>
  /** Throws a TargetError when no server can be asked. */
  prepare(item: Case): Promise<Preparation>
}

interface Settings {
  readonly servers: Servers
  readonly project: {
    readonly directory: string | undefined
    readonly workspace: string | undefined
    /** Absolute path of the file the case is in. */
    suiteOf(item: Case): string
  }
  readonly wishes: {
    readonly connector: string | undefined
    readonly target: { readonly agent?: string | undefined; readonly model?: string | undefined }
  }
  readonly isAttached: boolean
  readonly host: Host
}

const AGENT_FILES = /^(?:\.\/)*(?:\.opencode(?:$|\/)|opencode\.jsonc?$)/

/** Each kind of workspace is asked about once: starting up in a folder costs a server seconds. */
export function openOffers(settings: Settings): Offers {
  const { project, wishes } = settings
  const known = new Map<string, Promise<Offer>>()
  const offerOf = (source: WorkspaceSource): Promise<Offer> => {
    // Other steps change nothing of what is offered.
    const asked = { ...source, setup: source.setup.filter(({ file }) => AGENT_FILES.test(file)) }
    const key = JSON.stringify(asked)
    const offer = known.get(key) ?? askServer(asked, settings)
    known.set(key, offer)
    return offer
  }
  const wishesOf = (item: Case, plan: SessionPlan) => {
    return { plan, connector: wishes.connector ?? item.options.connector, target: wishes.target }
  }
  const sourceFor = (item: Case, plan: SessionPlan) => sourceOf(plan, { ...project, suite: project.suiteOf(item) })
  return {
    async check(item) {
      const problems = planProblems(item)
      const plan = planOf(item)
      const source = await sourceFor(item, plan)
      const fault = await sourceFault(source)
      if (fault !== undefined) problems.push({ field: 'workspace', message: fault })
      if (problems.length > 0) return problems
      try {
        const offer = await offerOf(source)
        return choiceProblems(choose(wishesOf(item, plan), offer), offer)
      } catch (error) {
        if (!(error instanceof TargetError)) throw error
        return [{ field: 'target', message: error.message }]
      }
    },
    async prepare(item) {
      const plan = planOf(item)
      const source = await sourceFor(item, plan)
      return { plan, source, choice: choose(wishesOf(item, plan), await offerOf(source)) }
    },
  }
}

async function askServer(source: WorkspaceSource, { servers, isAttached, host }: Settings): Promise<Offer> {
  const { server, release } = await servers.lease()
  try {
    const workspace = await makeWorkspace(source, { folder: server.folder, host })
    try {
      const client = await server.client(workspace.path)
      if (isAttached) failIfElsewhere(await client.files())
      const offer = await readOffer(client)
      await client.leave()
      return offer
    } finally {
      await workspace.remove()
    }
  } finally {
    await release()
  }
}

/** Every copy has a `.git`. */
function failIfElsewhere(files: readonly unknown[]): void {
  if (files.some((file) => isJsonObject(file) && file['name'] === '.git')) return
  throw new TargetError('the OpenCode server does not see the folders of this machine', { code: 'UNSUPPORTED' })
}
