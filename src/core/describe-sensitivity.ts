import type { Judgement } from './judgement.ts'
import type { GateSettings } from './statistics/gate-settings.ts'

/** What could not have been seen with so many runs: one sentence with its full stop. Source: spec verdict 4.1. */
export function describeSensitivity({ sensitivity, settings }: Pick<Judgement, 'sensitivity' | 'settings'>): string {
  const { baselineRuns, comparedCases, caseDrop80, caseDrop50, suiteDrop80 } = sensitivity
  const withRuns = `With ${counted(baselineRuns, 'run')} on the base branch and ${describePlan(settings)} here`
  return `${withRuns}, ${describeCase(caseDrop80, caseDrop50)}${describeSuite(suiteDrop80, comparedCases)}.`
}

function describePlan({ runs, maxRuns }: GateSettings): string {
  return maxRuns > runs ? `${runs} to ${maxRuns}` : String(runs)
}

function describeCase(drop80: number | undefined, drop50: number | undefined): string {
  if (drop50 === undefined) return 'not even one case that always passed and now always fails would be noticed'
  const usually = `a drop of less than ${counted(drop50, 'point')} would usually be missed`
  if (drop80 === undefined)
    return `of one case that always passed ${usually}, and no drop of it is noticed in four of five pull requests`
  return `one case that always passed and drops by ${counted(drop80, 'point')} is noticed in four of five pull requests, and ${usually}`
}

function describeSuite(drop: number | undefined, cases: number): string {
  if (cases < 2) return ''
  if (drop === undefined) return `; a drop of all ${cases} cases together would be missed`
  return `; a drop of ${counted(drop, 'point')} in all ${cases} cases is noticed in four of five`
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
