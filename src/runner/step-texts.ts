import type { Step } from '../core/step.ts'

/** Lists of steps, each packed into one text: a hundred thousand cases may have some. */
export interface StepTexts {
  /** Number of the list, from 1; what of it is only for people to read is dropped. */
  pack(steps: readonly Step[]): number
  unpack(number: number): readonly Step[]
}

/** Runs that call the same tools in the same way share one text, and one list, as long as there are this many. */
const MOST_SHARED = 4_096

/** A step whose tool is a number. */
type PackedStep = readonly [tool: number, parameters: string]

export function createStepTexts(): StepTexts {
  const texts: string[] = []
  const known = new Map<string, number>()
  const lists = new Map<number, readonly Step[]>()
  const tools: string[] = []
  const toolNumbers = new Map<string, number>()
  const toolNumber = (tool: string): number => {
    const number = toolNumbers.get(tool) ?? tools.push(tool) - 1
    toolNumbers.set(tool, number)
    return number
  }
  return {
    pack(steps) {
      const text = JSON.stringify(steps.map(({ tool, parameters }): PackedStep => [toolNumber(tool), parameters]))
      const number = known.get(text) ?? texts.push(text)
      if (known.size < MOST_SHARED) known.set(text, number)
      return number
    },
    unpack(number) {
      const list = lists.get(number)
      if (list) return list
      const packed = JSON.parse(texts[number - 1] ?? '[]') as PackedStep[]
      const made = packed.map(([tool, parameters]) => ({ tool: tools[tool] ?? '', parameters }))
      if (lists.size < MOST_SHARED) lists.set(number, made)
      return made
    },
  }
}
