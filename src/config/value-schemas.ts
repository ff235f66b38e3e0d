import { z } from 'zod'
import { parseDuration } from '../lib/duration.ts'
import { patternProblem } from '../lib/regex.ts'

export const text = z.string()
export const texts = z.array(z.string())
export const flag = z.boolean()

export const wholeNumber = (least: number) =>
  z.string().transform((value, context) => {
    const parsed = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (Number.isSafeInteger(parsed) && parsed >= least) return parsed
    context.addIssue({
      code: 'custom',
      message: `expected a whole number of at least ${least}, got ${JSON.stringify(value)}`,
    })
    return z.NEVER
  })

export const percent = z.string().transform((value, context) => {
  const match = /^(\d+(?:\.\d+)?)\s*%?$/.exec(value.trim())
  const parsed = match ? Number(match[1]) : Number.NaN
  if (parsed > 0 && parsed < 1 && !value.includes('%')) {
    context.addIssue({
      code: 'custom',
      message: `expected a percentage from 0 to 100, got ${value}: write ${parsed * 100} for ${parsed * 100} %`,
    })
    return z.NEVER
  }
  if (parsed >= 0 && parsed <= 100) return parsed
  context.addIssue({ code: 'custom', message: `expected a percentage from 0 to 100, got ${JSON.stringify(value)}` })
  return z.NEVER
})

export const duration = z.string().transform((value, context) => {
  const parsed = parseDuration(value)
  if (parsed !== undefined && parsed > 0) return parsed
  context.addIssue({
    code: 'custom',
    message: `expected a duration above zero with a unit, such as 30s or 1m30s, got ${JSON.stringify(value)}`,
  })
  return z.NEVER
})

export const pattern = z.string().superRefine((value, context) => {
  const message = patternProblem(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

export const oneOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z.enum(values, { error: (issue) => `expected ${values.join(', ')}, got ${JSON.stringify(issue.input)}` })

/** Items of a list option may also be joined by commas. */
export const listOf = <const T extends readonly [string, ...string[]]>(values: T) =>
  z
    .array(z.string())
    .transform((items) => items.flatMap((item) => item.split(',')).map((item) => item.trim()))
    .pipe(z.array(oneOf(values)))
