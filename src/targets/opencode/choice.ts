import type { Problem } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import type { SessionPlan } from '../../core/session.ts'
import type { Client, ModelRef } from './client.ts'

const SHOWN_NAMES = 12

/** What a folder offers, as the server sees it. */
export interface Offer {
  /** Agents that can be prompted. */
  readonly agents: readonly string[]
  readonly defaultAgent?: string
  /** `provider/model`. */
  readonly models: readonly string[]
}

/** Who answers a case. */
export interface Choice {
  readonly agent: string
  /** The agent's own where absent. */
  readonly model?: ModelRef
}

export async function readOffer(client: Client): Promise<Offer> {
  const [agents, providers, config] = await Promise.all([client.agents(), client.providers(), client.config()])
  const defaultAgent = isJsonObject(config) ? config['default_agent'] : undefined
  return {
    agents: agents.flatMap((agent) => {
      if (!isJsonObject(agent) || agent['hidden'] === true) return []
      return typeof agent['name'] === 'string' ? [agent['name']] : []
    }),
    ...(typeof defaultAgent === 'string' ? { defaultAgent } : {}),
    models: modelsOf(isJsonObject(providers) ? providers['providers'] : undefined),
  }
}

function modelsOf(providers: unknown): string[] {
  if (!Array.isArray(providers)) return []
  return providers.flatMap((provider: unknown) => {
    if (!isJsonObject(provider)) return []
    const { id, models } = provider
    return typeof id === 'string' && isJsonObject(models) ? Object.keys(models).map((model) => `${id}/${model}`) : []
  })
}

interface Wishes {
  readonly plan: Pick<SessionPlan, 'agent' | 'model' | 'defaultModel'>
  /** `-c`. */
  readonly connector: string | undefined
  readonly target: { readonly agent?: string | undefined; readonly model?: string | undefined }
}

/**
 * Agent: case, target, `default_agent`, `build`. Model: case, `-c`, target, config file of the suite, the agent's own.
 * Names are passed on as they are. Source: issue 4, point 1.
 */
export function choose({ plan, connector, target }: Wishes, offer: Pick<Offer, 'defaultAgent'>): Choice {
  const agent = plan.agent ?? target.agent ?? offer.defaultAgent ?? 'build'
  const model = plan.model ?? connector ?? target.model ?? plan.defaultModel
  return { agent, ...(model === undefined ? {} : { model: modelRef(model) }) }
}

/** The model's name may hold slashes. */
function modelRef(model: string): ModelRef {
  const [providerID = '', ...rest] = model.split('/')
  return { providerID, modelID: rest.join('/') }
}

/** Names that nobody answers to: the server would take them without a word. Source: spec opencode-server 0.7. */
export function choiceProblems({ agent, model }: Choice, { agents, models }: Offer): Problem[] {
  const problems: Problem[] = []
  if (!agents.includes(agent)) {
    const hint = didYouMean(agent, agents) ?? `agents are ${listed(agents)}`
    problems.push({ field: 'agent', message: `OpenCode has no agent ${quote(agent)} here`, hint })
  }
  if (model !== undefined && !models.includes(`${model.providerID}/${model.modelID}`)) {
    const name = `${model.providerID}/${model.modelID}`
    const ofProvider = models.filter((known) => known.startsWith(`${model.providerID}/`))
    const known = ofProvider.length > 0 ? ofProvider : models
    const message =
      model.modelID === ''
        ? `expected provider/model, got ${quote(model.providerID)}`
        : `OpenCode knows no model ${quote(name)} here`
    problems.push({ field: 'model', message, hint: didYouMean(name, models) ?? modelHint(known) })
  }
  if (model === undefined && models.length === 0)
    problems.push({ field: 'model', message: 'OpenCode has no model here', hint: modelHint(models) })
  return problems
}

function modelHint(models: readonly string[]): string {
  if (models.length > 0) return `models are ${listed(models)}`
  return 'name the variable with the key of a provider in the setting "env", or set up a provider in opencode.json'
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return 'none'
  const shown = [...names].sort().slice(0, SHOWN_NAMES).join(', ')
  return names.length > SHOWN_NAMES ? `${shown}, … (${names.length})` : shown
}
