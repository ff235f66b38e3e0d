import { realpath } from 'node:fs/promises'
import { UserError } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { plainText } from '../../lib/escape.ts'
import type { PlannedCase } from '../../runner/plan.ts'
import {
  type Checkout,
  createTarget,
  neverIn,
  parseTarget,
  settingsIn,
  type Target,
  type TargetContext,
} from '../../targets/index.ts'
import type { Opening } from '../open-targets.ts'
import { isBelow } from './base-checkout.ts'

export type Openings = ReadonlyMap<Target, Opening>

/** The agent of the base commit in place of a tested one; or a clause that says why there is none. */
export type BaseAgent = { readonly target: Target } | { readonly reason: string }

const LONGEST_REASON = 500

/** Why a tested target has no counterpart on any commit. */
export function neverOnBase(target: Target, opening: Opening, controlTarget: string | undefined): string | undefined {
  if (target.isRecorded) return 'recorded answers are the same on every commit'
  if (controlTarget !== undefined && !opening.isOwn) return undefined
  return neverIn(opening.settings)
}

interface Scope {
  readonly checkout: Checkout
  /** Root of the checkout. */
  readonly tree: string
  readonly controlTarget: string | undefined
}

/** Opens the counterparts of all of them. */
export async function openAgents(openings: Openings, scope: Scope): Promise<ReadonlyMap<Target, BaseAgent>> {
  const opened = new Map<Target, BaseAgent>()
  for (const [target, opening] of openings) opened.set(target, await openAgent(target, opening, scope))
  return opened
}

async function openAgent(tested: Target, opening: Opening, scope: Scope): Promise<BaseAgent> {
  const { checkout, tree, controlTarget } = scope
  const never = neverOnBase(tested, opening, controlTarget)
  if (never !== undefined) return { reason: never }
  const moved = await settingsOf(opening, scope)
  if ('reason' in moved) return moved
  try {
    const target = await createTarget(moved.settings, contextIn(opening.context, checkout))
    for (const folder of [target.agentFolder, target.application]) {
      if (folder === undefined || isBelow(await realpath(folder), tree)) continue
      await target.dispose?.()
      return { reason: 'its agent is looked for outside of the repository, where that of the change is found as well' }
    }
    if (target.isRecorded) {
      await target.dispose?.()
      return { reason: 'its answers are recorded, and the same whatever becomes of the world' }
    }
    // One agent, one name: the place it was opened from is no part of it.
    return { target: { ...target, label: tested.label } }
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    return { reason: `its agent cannot be opened: ${clause(error.message, checkout.host)}` }
  }
}

async function settingsOf({ settings, context, isOwn }: Opening, { checkout, controlTarget }: Scope) {
  if (controlTarget === undefined || isOwn) return await settingsIn(checkout, settings, context)
  const parsed = parseTarget(controlTarget)
  return 'config' in parsed ? { settings: parsed.config } : { reason: 'control-target cannot be read' }
}

/** Neither kept nor recorded: that is for what is tested. */
function contextIn(
  { keeper: _keeper, record: _record, agentFolder, ...context }: TargetContext,
  { host, pathOf }: Checkout,
): TargetContext {
  const moved = agentFolder === undefined ? undefined : (pathOf(agentFolder) ?? agentFolder)
  return { ...context, host, ...(moved === undefined ? {} : { agentFolder: moved }) }
}

/** The case on its counterpart's side: what is asked and how it is judged stay those of the change. */
export async function plannedOn(
  agents: ReadonlyMap<Target, BaseAgent>,
  planned: PlannedCase,
  host: Host,
): Promise<PlannedCase | { readonly missing: string }> {
  const agent = agents.get(planned.target) ?? { reason: 'its target was not opened' }
  if ('reason' in agent) return { missing: agent.reason }
  const [problem] = (await agent.target.check?.(planned.item)) ?? []
  return problem ? { missing: clause(problem.message, host) } : { ...planned, target: agent.target }
}

function clause(message: string, { secrets }: Pick<Host, 'secrets'>): string {
  return plainText(secrets.redact(message), { maxLength: LONGEST_REASON })
}
