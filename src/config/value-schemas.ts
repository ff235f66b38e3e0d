import { z } from 'zod'
import type { Price } from '../core/budget.ts'
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

/** A whole number, or undefined where the default is the empty text. */
export const optionalNumber = (least: number) =>
  z.string().transform((value, context) => {
    if (value === '') return undefined
    const parsed = wholeNumber(least).safeParse(value)
    if (parsed.success) return parsed.data
    context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? 'expected a whole number' })
    return z.NEVER
  })

/** An amount of money above zero. */
export const amount = z.string().transform((value, context) => {
  const match = /^\$?(\d+(?:\.\d+)?)$/.exec(value.trim())
  const parsed = match ? Number(match[1]) : Number.NaN
  if (parsed > 0 && Number.isFinite(parsed)) return parsed
  context.addIssue({ code: 'custom', message: `expected an amount in USD, such as 2.50, got ${JSON.stringify(value)}` })
  return z.NEVER
})

/** A ratio of at least 1. */
export const increase = z.string().transform((value, context) => {
  const parsed = /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : Number.NaN
  if (parsed >= 1 && parsed <= 1_000) return parsed
  context.addIssue({
    code: 'custom',
    message: `expected a ratio of at least 1, such as 1.25 for a quarter more, got ${JSON.stringify(value)}`,
  })
  return z.NEVER
})

/** Which part of how many, from 1. */
export const shardPart = z.string().transform((value, context) => {
  const match = /^(\d{1,4})\s*\/\s*(\d{1,4})$/.exec(value.trim())
  const [index, count] = [Number(match?.[1]), Number(match?.[2])]
  if (match && index >= 1 && count >= 1 && index <= count) return { index, count }
  context.addIssue({
    code: 'custom',
    message: `expected a part and their number, such as 2/8, got ${JSON.stringify(value)}`,
  })
  return z.NEVER
})

/** `MODEL=IN/OUT` each: USD for a million tokens. */
export const prices = z.array(z.string()).transform((items, context) => {
  const found: Map<string, Price> = new Map()
  for (const item of items) {
    const match = /^(.+)=\$?(\d+(?:\.\d+)?)\/\$?(\d+(?:\.\d+)?)$/.exec(item.trim())
    if (match) found.set((match[1] ?? '').trim(), { input: Number(match[2]), output: Number(match[3]) })
    else
      context.addIssue({
        code: 'custom',
        message: `expected MODEL=IN/OUT in USD for a million tokens, such as gpt-5=1.25/10, got ${JSON.stringify(item)}`,
      })
  }
  return found
})
