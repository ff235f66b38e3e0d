import type { CaseEvidence } from '../../src/core/statistics/case-evidence.ts'
import type { Counts } from '../../src/core/statistics/counts.ts'
import { type AskedBatch, type Batches, type GateVerdict, nextStep } from '../../src/core/statistics/gate.ts'
import { GATE_DEFAULTS, type GateSettings } from '../../src/core/statistics/gate-settings.ts'

/** Numbers in [0, 1) that depend on the seed alone (mulberry32). */
export type Random = () => number

export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** True pass rates of a suite's cases, and the percentage of cases that have them. Source: spec verdict 2. */
const PROFILES = {
  quiet: [
    [1, 90],
    [0.98, 5],
    [0, 5],
  ],
  typical: [
    [1, 60],
    [0.98, 15],
    [0.9, 10],
    [0.7, 8],
    [0.4, 4],
    [0, 3],
  ],
  flaky: [
    [1, 20],
    [0.95, 20],
    [0.85, 20],
    [0.7, 20],
    [0.4, 15],
    [0, 5],
  ],
} as const

export type Profile = keyof typeof PROFILES

/** True pass rates of one case: when main's runs were made, here, and of the base commit when this is judged. */
interface Truth {
  readonly main: number
  readonly here: number
  readonly baseNow: number
}

/** Changes the rates of the first `cases` cases with the rate `of`; without `of`, of every case. */
interface Change {
  readonly of?: number
  readonly cases?: number
  readonly to: (rate: number) => number
  /** The agent did not change: its provider did, and the base commit sees the same. */
  readonly isWorld?: boolean
}

const drop = (points: number) => (rate: number) => Math.max(0, rate - points / 100)

/** Source: spec verdict 2. */
const SCENARIOS = {
  A: { cases: 0, to: (rate) => rate },
  B: { of: 1, cases: 1, to: () => 0 },
  C3: { of: 1, cases: 1, to: () => 0.3 },
  C: { of: 1, cases: 1, to: () => 0.6 },
  D5: { to: drop(5) },
  D: { to: drop(10) },
  E: { of: 0.7, cases: 1, to: drop(10) },
  E30: { of: 0.7, cases: 1, to: () => 0.3 },
  F: { to: (rate) => (rate < 1 ? Math.min(1, rate + 0.3) : rate) },
  G: { to: drop(10), isWorld: true },
  G1: { of: 1, cases: 1, to: () => 0.3, isWorld: true },
  H: { of: 1, cases: 3, to: () => 0.5 },
} as const satisfies Record<string, Change>

type Scenario = keyof typeof SCENARIOS
export const SCENARIO_NAMES = Object.keys(SCENARIOS) as Scenario[]

export interface Cell {
  readonly profile: Profile
  readonly cases: number
  readonly mainRuns: number
  readonly scenario: Scenario
  /** Whether the base commit can be run. */
  readonly control: boolean
  readonly settings?: Partial<GateSettings>
}

export interface Characteristics {
  /** Shares of the pull requests, 0..1. */
  readonly blocked: number
  /** A case that changed was named. */
  readonly named: number
  readonly runsPerCase: number
  readonly baseRunsPerPr: number
}

/** What the gate asks for next, or in the end says of a pull request. */
export type AskGate = (
  cases: readonly CaseEvidence[],
  batches: Batches,
  settings: GateSettings,
) => AskedBatch | SimulatedVerdict

interface SimulatedVerdict extends Pick<GateVerdict, 'kind' | 'blocked'> {
  readonly cases: readonly Pick<GateVerdict['cases'][number], 'place' | 'outcome'>[]
}

/** Judges `prs` pull requests, each with its own runs on main, whose every run passes or fails by its true rate. */
export function simulate(cell: Cell, prs: number, random: Random, askGate: AskGate = nextStep): Characteristics {
  const settings = { ...GATE_DEFAULTS, ...cell.settings }
  const truths = truthsOf(cell)
  const changed = [...truths.keys()].filter((place) => truths[place]?.here !== truths[place]?.main)
  const sums = { blocked: 0, named: 0, runs: 0, baseRuns: 0 }
  for (let pr = 0; pr < prs; pr += 1) {
    const { verdict, runs, baseRuns } = judgeOne(truths, { ...cell, settings }, random, askGate)
    const named = new Set(verdict.cases.flatMap(({ place, outcome }) => (isRed(outcome) ? [place] : [])))
    sums.blocked += verdict.blocked ? 1 : 0
    sums.named += changed.some((place) => named.has(place)) ? 1 : 0
    sums.runs += runs
    sums.baseRuns += baseRuns
  }
  return {
    blocked: sums.blocked / prs,
    named: sums.named / prs,
    runsPerCase: sums.runs / prs / truths.length,
    baseRunsPerPr: sums.baseRuns / prs,
  }
}

/** Evidence after the first stage, as the gate sees it. */
export function drawStage1(cell: Cell, random: Random): CaseEvidence[] {
  return stage1(truthsOf(cell), cell.mainRuns, { ...GATE_DEFAULTS, ...cell.settings }.runs, random)
}

/** Runs on main that pass exactly as often as their case does, fractions of a run included. */
export function expectedCounts(profile: Profile, cases: number, runs: number): Counts[] {
  return ratesOf(profile, cases).map((rate) => ({ passed: runs * rate, failed: runs * (1 - rate) }))
}

function judgeOne(
  truths: readonly Truth[],
  { settings, ...cell }: Cell & { readonly settings: GateSettings },
  random: Random,
  askGate: AskGate,
) {
  const state = cell.control ? 'open' : 'unavailable'
  let batches: Batches = { suiteControl: state, reruns: 'open', control: state }
  let cases = stage1(truths, cell.mainRuns, settings.runs, random)
  const counted = { runs: truths.length * settings.runs, baseRuns: 0 }
  for (;;) {
    const step = askGate(cases, batches, settings)
    if (step.kind === 'verdict') return { verdict: step, ...counted }
    const asked = step.runs.reduce((sum, { count }) => sum + count, 0)
    counted[step.batch === 'reruns' ? 'runs' : 'baseRuns'] += asked
    cases = afterBatch(cases, truths, step, random)
    batches = { ...batches, [step.batch]: 'done' }
  }
}

function afterBatch(cases: readonly CaseEvidence[], truths: readonly Truth[], step: AskedBatch, random: Random) {
  const counts = new Map(step.runs.map(({ place, count }) => [place, count]))
  return cases.map((item, place): CaseEvidence => {
    const [count, truth] = [counts.get(place), truths[place]]
    if (!count || !truth) return item
    if (step.batch !== 'reruns') return { ...item, [step.batch]: drawRuns(count, truth.baseNow, random) }
    const more = drawRuns(count, truth.here, random)
    return { ...item, all: { passed: item.all.passed + more.passed, failed: item.all.failed + more.failed } }
  })
}

function stage1(truths: readonly Truth[], mainRuns: number, runs: number, random: Random): CaseEvidence[] {
  return truths.map(({ main, here }) => {
    const first = drawRuns(runs, here, random)
    return { baseline: drawRuns(mainRuns, main, random), stage1: first, all: first }
  })
}

export function drawRuns(runs: number, passRate: number, random: Random): Counts {
  let passed = 0
  for (let run = 0; run < runs; run += 1) passed += random() < passRate ? 1 : 0
  return { passed, failed: runs - passed }
}

function truthsOf({ profile, cases, scenario }: Cell): Truth[] {
  const { of, cases: most = cases, to, isWorld = false }: Change = SCENARIOS[scenario]
  const rates = ratesOf(profile, cases)
  // A scenario needs a case to happen to, also in a suite that has none such.
  if (of !== undefined && !rates.includes(of)) rates[0] = of
  const places = rates.flatMap((rate, place) => (of === undefined || rate === of ? [place] : []))
  // F improves half of the cases that can improve.
  const chosen = new Set(scenario === 'F' ? everySecond(places.filter((at) => rates[at] !== 1)) : places.slice(0, most))
  return rates.map((main, place) => {
    const here = chosen.has(place) ? to(main) : main
    return { main, here, baseNow: isWorld ? here : main }
  })
}

function everySecond(places: readonly number[]): number[] {
  return places.filter((_, index) => index % 2 === 0)
}

/** Shares as whole cases: each case takes the rate in whose share its middle lies. */
function ratesOf(profile: Profile, cases: number): number[] {
  return Array.from({ length: cases }, (_, place) => {
    let upTo = 0
    const middle = ((place + 0.5) * 100) / cases
    const found = PROFILES[profile].find(([, share]) => {
      upTo += share
      return middle < upTo
    })
    return found?.[0] ?? 0
  })
}

function isRed(outcome: GateVerdict['cases'][number]['outcome']): boolean {
  return outcome === 'confirmed' || outcome === 'uncontrolled'
}
