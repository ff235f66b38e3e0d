import { describe, expect, test } from 'vitest'
import type { CaseReport } from '../../src/core/case-report.ts'
import { type JudgedState, makeJudgement } from '../../src/core/make-judgement.ts'
import type { RunRecord } from '../../src/core/result.ts'
import { NO_CONTROLS } from '../../src/core/run-blob.ts'
import { GATE_DEFAULTS } from '../../src/core/statistics/gate-settings.ts'
import { aBaseline, aCaseReport, aGate, aPool, passes, someRuns } from '../support/builders.ts'
import { errors } from '../support/verdict-testbed.ts'

const judged = (state: JudgedState) => makeJudgement(state, { control: { kind: 'not_needed' } })

describe('resources', () => {
  interface Use {
    readonly durationMs?: number
    readonly inputTokens?: number
    readonly costUsd?: number
    readonly turns?: number
  }
  /** Thirty cases whose values differ, as many times larger here as is said. */
  function withUse(factor: Use): JudgedState {
    const ids = Array.from({ length: 30 }, (_, place) => place)
    const scaled = (place: number, run: number, by: Use) => {
      const value = 100 + place * 7 + ((run * 13) % 11)
      const cost = by.costUsd === undefined ? {} : { costUsd: value * by.costUsd }
      return {
        durationMs: value * (by.durationMs ?? 1),
        turns: Math.round(value * (by.turns ?? 1)),
        usage: { inputTokens: Math.round(value * (by.inputTokens ?? 1)), outputTokens: 10, ...cost },
      }
    }
    const reports = (count: number, by: Use) =>
      ids.map((place): CaseReport => {
        const runs = someRuns(passes(count)).map((run): RunRecord => ({ ...run, ...scaled(place, run.run, by) }))
        return aCaseReport({ id: `c${place}`, runs })
      })
    const cases = reports(3, factor)
    const known = aBaseline(reports(20, { costUsd: 1 }), {}, 1)
    const pools = new Map(known.cases.map((item) => [item.key, aPool({ key: item.key, runs: item.runs })] as const))
    return {
      cases,
      pools,
      baseline: known,
      controls: NO_CONTROLS,
      batches: { suiteControl: 'done', reruns: 'done', control: 'done' },
      gate: aGate,
      settings: { ...GATE_DEFAULTS, maxRuns: 3 },
    }
  }
  const increased = (state: JudgedState) =>
    judged(state).judgement?.resources.flatMap(({ resource, increased: isMore }) => (isMore ? [resource] : []))

  test.each<[string, Use, string[]]>([
    ['nothing changed', {}, []],
    ['a tenth longer', { durationMs: 1.1 }, []],
    ['half as long again', { durationMs: 1.5 }, ['duration']],
    ['half as many tokens again', { inputTokens: 1.6 }, ['tokens']],
    ['dearer, the tokens being the same', { costUsd: 1.5 }, ['cost']],
    ['more turns', { turns: 2 }, ['turns']],
    ['all of it', { durationMs: 2, inputTokens: 2, costUsd: 2, turns: 2 }, ['duration', 'tokens', 'cost', 'turns']],
    ['less of it', { durationMs: 0.5, inputTokens: 0.5, costUsd: 0.5, turns: 0.5 }, []],
  ])('%s', (_, use, names) => {
    expect(increased(withUse(use))).toEqual(names)
  })

  test('limits are those of the gate: one for time, one for the rest', () => {
    const state = withUse({ durationMs: 1.5, inputTokens: 1.6 })
    const gate = { ...aGate, maxLatencyIncrease: 1.6, maxCostIncrease: 1.4 }
    expect(increased({ ...state, gate })).toEqual(['tokens'])
    const found = judged({ ...state, gate }).judgement?.resources
    expect(found?.map(({ resource, limit }) => [resource, limit])).toEqual([
      ['duration', 1.6],
      ['tokens', 1.4],
      ['turns', 1.4],
    ])
  })

  test('errored runs are void: a run into its time limit makes nothing slower', () => {
    const state = withUse({ durationMs: 9 })
    const cases = state.cases.map((item) => {
      const void1 = someRuns(errors(1), { durationMs: 60_000 })
      const rest = item.runs.slice(1).map((run) => ({ ...run, durationMs: run.durationMs / 9 }))
      return aCaseReport({ id: item.id, runs: [...void1, ...rest] })
    })
    expect(increased({ ...state, cases })).toEqual([])
  })
})
