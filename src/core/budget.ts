/** Limits of what a whole run may use; 0 is none. */
export interface BudgetLimits {
  readonly costUsd: number
  readonly tokens: number
  readonly durationMs: number
}

/** What has been used: agents, judges and simulated users, first stages, re-runs and base side together. */
export interface Spending {
  readonly tokens: number
  /** Of what has a price; with `unpricedRuns` it is the least that was spent. */
  readonly costUsd: number
  /** Runs that used tokens whose price is not known. */
  readonly unpricedRuns: number
  /** Runs of which not even the tokens are known. */
  readonly unmeteredRuns: number
}

/** Why no further run was started. */
export interface BudgetStop {
  readonly limit: 'cost' | 'tokens' | 'duration'
  /** In the limit's unit: USD, tokens, milliseconds. */
  readonly allowed: number
  readonly used: number
}

/** USD for a million tokens. */
export interface Price {
  readonly input: number
  readonly output: number
}

/** By the name of the model. */
export type Prices = ReadonlyMap<string, Price>

/**
 * The price of a model by its exact name, else with what stands before a "/" in either name left out, as in
 * `openai/gpt-5`. Two different prices that fit are none: nothing says which one is meant.
 */
export function priceOf(model: string, prices: Prices): Price | undefined {
  const exact = prices.get(model)
  if (exact || model === '') return exact
  const shorter = longest([...prices.keys()].filter((name) => model.endsWith(`/${name}`)))
  if (shorter !== undefined) return prices.get(shorter)
  const [first, ...others] = [...prices].flatMap(([name, price]) => (name.endsWith(`/${model}`) ? [price] : []))
  const isOne = others.every(({ input, output }) => input === first?.input && output === first.output)
  return isOne ? first : undefined
}

function longest(names: readonly string[]): string | undefined {
  return names.reduce<string | undefined>((best, name) => (name.length > (best?.length ?? 0) ? name : best), undefined)
}
