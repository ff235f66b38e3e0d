import { describeProblem, type Problem } from '../errors.ts'

/** What was found in one file, collected so that the user sees all of it at once. */
export interface Findings {
  readonly problems: readonly Problem[]
  /** Notes on what starts at `line` (1-based; absent for a file that is one value). */
  at(line?: number): Notes
  /** One text per kind of warning, however often it was given: a typo may stand in every record. */
  warnings(): string[]
}

export interface Notes {
  readonly line: number | undefined
  /** Warnings are problems. */
  readonly isStrict: boolean
  /** `field` is a path such as `input[0].content`; '' is the whole. */
  problem(field: string, message: string, hint?: string): void
  warning(field: string, message: string, hint?: string): void
  /** Something with its own field, such as what the assertions found. */
  add(problem: Problem): void
  hasProblems(): boolean
}

/** Nobody reads more of them, and a hostile file may give rise to any number. */
const WARNING_LIMIT = 100

/** `file` is the path as the user knows it; under `strict` every warning is a problem. */
export function collectFindings(file: string, { strict = false }: { readonly strict?: boolean } = {}): Findings {
  const problems: Problem[] = []
  const warnings = new Map<string, { readonly text: string; count: number }>()
  return {
    problems,
    at(line) {
      const before = problems.length
      const place = line === undefined ? { file } : { file, line }
      const add = (problem: Problem) => void problems.push({ ...place, ...problem })
      return {
        line,
        isStrict: strict,
        add,
        problem: (field, message, hint) => add(problemOf(field, message, hint)),
        warning(field, message, hint) {
          if (strict) return add(problemOf(field, message, hint))
          const kind = `${field.replaceAll(/\[\d+\]/g, '[]')}: ${message}`
          const known = warnings.get(kind)
          if (known) known.count += 1
          else warnings.set(kind, { text: describeProblem({ ...place, ...problemOf(field, message, hint) }), count: 1 })
        },
        hasProblems: () => problems.length > before,
      }
    },
    warnings() {
      const texts = [...warnings.values()].map(({ text, count }) => (count === 1 ? text : `${text}; ${count} times`))
      const rest = texts.length - WARNING_LIMIT
      return rest <= 0 ? texts : [...texts.slice(0, WARNING_LIMIT), `${file}: ${rest} more warnings`]
    },
  }
}

function problemOf(field: string, message: string, hint?: string): Problem {
  return { ...(field === '' ? {} : { field }), message, ...(hint === undefined ? {} : { hint }) }
}
