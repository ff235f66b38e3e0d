import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

/** Pass rates (0..1) by case id; a case without one always passes. */
export type Rates = Readonly<Record<string, number>>

export interface RatedModel extends ScriptedModel {
  /** From now on. */
  setRates(rates: Rates): void
  /** Questions asked so far, by prompt and case id, such as `good greeting`. */
  readonly asked: ReadonlyMap<string, number>
}

/**
 * A model that answers "ok" exactly as often as a case's rate says, evenly spread and without chance: of the first n
 * answers to one prompt about one case, n times the rate are right, rounded down. The agent's prompt may lower all
 * rates: `PROMPT:<factor>` in the system message.
 */
export async function startRatedModel(first: Rates = {}): Promise<RatedModel> {
  let rates = first
  const asked = new Map<string, number>()
  const model = await startScriptedModel({
    record: false,
    answer({ body }) {
      const messages = body.messages ?? []
      const textOf = (role: string) => {
        const content = messages.find((message) => message['role'] === role)?.['content']
        return typeof content === 'string' ? content : ''
      }
      const [id = ''] = textOf('user').split(' ')
      const prompt = textOf('system')
      const factor = Number(/PROMPT:([\d.]+)/.exec(prompt)?.[1] ?? 1)
      const broken = /BREAKS:(\S+)/.exec(prompt)?.[1]
      const rate = broken === id ? 0 : (rates[id] ?? rates['*'] ?? 1) * factor
      const key = `${prompt} ${id}`
      const number = (asked.get(key) ?? 0) + 1
      asked.set(key, number)
      const passes = Math.floor(number * rate + 1e-9) > Math.floor((number - 1) * rate + 1e-9)
      return passes ? 'ok, done' : 'I cannot help with that'
    },
  })
  return {
    ...model,
    setRates(next) {
      rates = next
      asked.clear()
    },
    asked,
  }
}
