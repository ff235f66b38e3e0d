import { data, Evaluator, Lexer, Parser } from '@actions/expressions'

/** Contexts by name, as plain JSON. */
export type Contexts = Readonly<Record<string, unknown>>

/** How the job stands, for the status functions. */
export type JobStatus = 'success' | 'failure' | 'cancelled'

const CONTEXTS = [
  'github',
  'env',
  'vars',
  'job',
  'jobs',
  'steps',
  'runner',
  'secrets',
  'strategy',
  'matrix',
  'needs',
  'inputs',
]

const STATUS_FUNCTIONS: Readonly<Record<string, (status: JobStatus) => boolean>> = {
  always: () => true,
  success: (status) => status === 'success',
  failure: (status) => status === 'failure',
  cancelled: (status) => status === 'cancelled',
}

/** Replaces every expression of a text by its value. */
export function interpolate(text: string, contexts: Contexts): string {
  return splitTemplate(text)
    .map((part) => (typeof part === 'string' ? part : evaluate(part.expression, contexts, 'success').coerceString()))
    .join('')
}

/** Condition of a step; without a status function it also asks for success so far. */
export function isMet(condition: string, contexts: Contexts, status: JobStatus): boolean {
  const [only, ...rest] = splitTemplate(condition.trim())
  const source = typeof only === 'object' && rest.length === 0 ? only.expression : condition
  const asksForStatus = new Lexer(source).lex().tokens.some(({ lexeme }) => lexeme.toLowerCase() in STATUS_FUNCTIONS)
  return isTruthy(evaluate(asksForStatus ? source : `success() && (${source})`, contexts, status))
}

function evaluate(source: string, contexts: Contexts, status: JobStatus): data.ExpressionData {
  const functions = Object.entries(STATUS_FUNCTIONS).map(([name, call]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: () => new data.BooleanData(call(status)),
  }))
  const expression = new Parser(new Lexer(source).lex().tokens, CONTEXTS, functions).parse()
  const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary
  return new Evaluator(expression, values, new Map(functions.map((item) => [item.name, item]))).evaluate()
}

function isTruthy(value: data.ExpressionData): boolean {
  switch (value.kind) {
    case data.Kind.Null:
      return false
    case data.Kind.Boolean:
    case data.Kind.Number:
    case data.Kind.String:
      return Boolean(value.value)
    case data.Kind.Array:
    case data.Kind.Dictionary:
      return true
  }
}

/** Texts and the expressions between them; a `}}` inside of a quoted string does not end an expression. */
function splitTemplate(text: string): (string | { readonly expression: string })[] {
  const parts: (string | { expression: string })[] = []
  let rest = text
  for (;;) {
    const start = rest.indexOf('${{')
    const length = start < 0 ? -1 : (/^(?:'[^']*'|[^'])*?\}\}/.exec(rest.slice(start + 3))?.[0].length ?? -1)
    if (length < 0) return rest === '' ? parts : [...parts, rest]
    if (start > 0) parts.push(rest.slice(0, start))
    parts.push({ expression: rest.slice(start + 3, start + 1 + length) })
    rest = rest.slice(start + 3 + length)
  }
}
