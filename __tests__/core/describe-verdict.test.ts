import { describe, expect, test } from 'vitest'
import type { GateSettings } from '../../src/core/statistics/gate-settings.ts'
import { GATE_DEFAULTS } from '../../src/core/statistics/gate-settings.ts'
import { describeNote, describeReason, describeSensitivity, type Note, type Reason } from '../../src/core/verdict.ts'
import type { Waiver } from '../../src/core/waiver.ts'
import { aFinding } from '../support/builders.ts'
import { alarm, resource, states } from '../support/verdict-testbed.ts'

const finding = aFinding({
  key: 'a/b',
  before: { passed: 20, judged: 20 },
  after: { passed: 8, judged: 15 },
  p: 0.0042,
  outcome: 'confirmed',
  control: { passed: 5, judged: 5 },
})
const regressed = {
  kind: 'regressed',
  key: 'a/b',
  before: finding.before,
  after: finding.after,
  finding,
  tested: 6,
  limit: 0.04,
} as const
const below = { kind: 'below_min_pass_rate', key: 'a/b', required: 80, mode: 'observed' } as const
const rate = (passed: number, judged: number) => ({ passed, judged })
const stop = { kind: 'budget_reached', done: 12, planned: 90 } as const
const waiver: Waiver = {
  kind: 'accepted',
  case: 'b',
  reason: 'shorter on purpose',
  until: '2026-03-31',
  source: 'agent-test.accept.yml:4',
}

describe('reasons', () => {
  test.each<[Reason, string]>([
    [
      regressed,
      'a/b regressed: 20/20 runs passed on the base branch, 8/15 here; had nothing changed, one of the 6 cases in question would drop this far in 0.4% of pull requests (limit 4%); the base commit, run again just now, passed 5/5',
    ],
    [
      { ...regressed, tested: 1, finding: { ...finding, p: 0.0000001 } },
      'a/b regressed: 20/20 runs passed on the base branch, 8/15 here; had nothing changed, it would drop this far in less than 0.1% of pull requests (limit 4%); the base commit, run again just now, passed 5/5',
    ],
    [
      { ...regressed, finding: aFinding({ ...finding, outcome: 'uncontrolled' }) },
      'a/b regressed: 20/20 runs passed on the base branch, 8/15 here; had nothing changed, one of the 6 cases in question would drop this far in 0.4% of pull requests (limit 4%); the base commit was not run again, so what changed around the agent is not ruled out',
    ],
    [
      { kind: 'suite_regressed', finding: alarm('confirmed').suite, limit: 0.01 },
      'the suite as a whole regressed: 31 of 300 runs failed across 100 cases, where 18.4 would have, had nothing changed; so many fail by chance in 0.2% of pull requests (limit 1%); the base commit, run again just now, passed 180/200',
    ],
    [
      { kind: 'suite_regressed', finding: alarm('uncontrolled').suite, limit: 0.01 },
      'the suite as a whole regressed: 31 of 300 runs failed across 100 cases, where 18.4 would have, had nothing changed; so many fail by chance in 0.2% of pull requests (limit 1%); the base commit was not run again, so what changed around the agent is not ruled out',
    ],
    [{ ...below, actual: rate(2, 3) }, 'a/b passed 2/3 (66.7%), below the required 80%'],
    [{ ...below, actual: rate(2999, 3000), required: 100 }, 'a/b passed 2999/3000 (99.9%), below the required 100%'],
    [{ ...below, actual: rate(8, 15), mode: 'shown' }, 'a/b passed 8/15 (53.3%), surely below the required 80%'],
    [{ ...below, actual: rate(8, 15), mode: 'proven' }, 'a/b passed 8/15 (53.3%), below the required 80%'],
    [
      { ...below, actual: rate(3, 3), mode: 'proven' },
      'a/b passed 3/3 (100%), which does not prove the required 80%: that takes 14 runs that all pass, or more',
    ],
    [
      { ...below, actual: rate(3, 3), mode: 'proven', required: 100 },
      'a/b passed 3/3 (100%), which does not prove the required 100%: no number of runs can, so ask for less than 100%',
    ],
    [
      { kind: 'critical_failed', key: 'a/b', actual: rate(2, 3) },
      'a/b is critical: every run of it must pass, and 2/3 did',
    ],
    [{ kind: 'removed', keys: ['a/b'] }, '1 case of the base branch is gone: a/b'],
    [
      { kind: 'removed', keys: ['a/b', 'a/c', 'a/d', 'a/e', 'a/f'] },
      '5 cases of the base branch are gone: a/b, a/c, a/d and 2 more',
    ],
    [
      { kind: 'cost_increased', finding: resource('tokens') },
      'a typical case uses 1.40 times as many tokens as on the base branch (limit 1.25); chance alone does that in 0.1% of pull requests',
    ],
    [
      { kind: 'cost_increased', finding: resource('cost') },
      'a typical case costs 1.40 times as much as on the base branch (limit 1.25); chance alone does that in 0.1% of pull requests',
    ],
    [
      { kind: 'cost_increased', finding: resource('turns') },
      'a typical case takes 1.40 times as many turns as on the base branch (limit 1.25); chance alone does that in 0.1% of pull requests',
    ],
    [{ kind: 'errored', errored: 2, runs: 5, cause: 'no key' }, '2 of 5 runs errored: no key'],
    [{ kind: 'nothing_judged', cause: 'no key' }, 'every run errored, so nothing could be judged: no key'],
    [{ kind: 'no_runs', skipped: 0 }, 'no case was run'],
    [{ kind: 'no_runs', skipped: 4 }, 'no case was run: all 4 are skipped'],
    [{ kind: 'no_runs', skipped: 1 }, 'no case was run: the only one is skipped'],
    [
      { kind: 'baseline_required', state: states.none },
      'a baseline is required. No baseline yet: main has no run yet.',
    ],
    [{ kind: 'baseline_unreadable', state: states.unreadable }, 'The baseline could not be read: HTTP 500.'],
    [{ kind: 'interrupted', done: 2, planned: 9 }, 'interrupted after 2 of 9 runs'],
    [{ kind: 'interrupted', done: 9, planned: 9 }, 'interrupted after all 9 first runs, while cases were run again'],
    [{ kind: 'stopped_early', done: 2, planned: 9 }, 'stopped after 2 of 9 runs, so the suite is not proven'],
    [
      { ...stop, stop: { limit: 'cost', allowed: 2, used: 2.034 } },
      'the budget of $2.00 was used up ($2.03) after 12 of 90 runs, so the suite is not proven',
    ],
    [
      { ...stop, stop: { limit: 'tokens', allowed: 100_000, used: 100_240 } },
      'the budget of 100000 tokens was used up (100240 tokens) after 12 of 90 runs, so the suite is not proven',
    ],
    [
      { ...stop, stop: { limit: 'duration', allowed: 600_000, used: 601_000 }, done: 90 },
      'the budget of 10m 0s was used up (10m 1s) after all 90 first runs, while cases were run again, so the suite is not proven',
    ],
  ])('%j', (reason, words) => {
    expect(describeReason(reason)).toBe(words)
  })
})

describe('notes', () => {
  const moved = { kind: 'environment_moved', key: 'a/b', before: rate(20, 20), after: rate(4, 15) } as const
  test.each<[Note, string]>([
    [
      { kind: 'waived', reason: { ...below, actual: rate(2, 3) }, waiver },
      'a/b passed 2/3 (66.7%), below the required 80%; accepted until 2026-03-31: shorter on purpose (agent-test.accept.yml:4)',
    ],
    [
      { kind: 'waived', reason: { ...below, actual: rate(2, 3) }, waiver: { ...waiver, kind: 'quarantined' } },
      'a/b passed 2/3 (66.7%), below the required 80%; quarantined as flaky until 2026-03-31: shorter on purpose (agent-test.accept.yml:4)',
    ],
    [
      {
        kind: 'waived',
        reason: { kind: 'removed', keys: ['a/b'] },
        waiver: { kind: 'accepted', case: '*', reason: 'intended', source: 'label agent-test:accept' },
      },
      '1 case of the base branch is gone: a/b; accepted: intended (label agent-test:accept)',
    ],
    [
      { kind: 'waiver_expired', waiver },
      'the acceptance of b no longer holds: it ended after 2026-03-31 (agent-test.accept.yml:4)',
    ],
    [
      { kind: 'waiver_unused', waiver },
      'the acceptance of b was not needed: nothing of it was red (agent-test.accept.yml:4)',
    ],
    [
      { kind: 'waiver_unused', waiver: { ...waiver, case: '*' } },
      'the acceptance of everything was not needed: nothing of it was red (agent-test.accept.yml:4)',
    ],
    [
      { kind: 'waiver_unused', waiver: { ...waiver, kind: 'quarantined' } },
      'the quarantine of b does nothing: there is no such case here that may be quarantined (agent-test.accept.yml:4)',
    ],
    [
      { kind: 'known_bad', key: 'a/b', before: rate(3, 20), actual: rate(1, 5), required: 80 },
      'a/b is below the required 80% on the base branch already (3/20), so that 1/5 here is not held against this change',
    ],
    [
      { kind: 'threshold_not_proven', key: 'a/b', actual: rate(2, 3), required: 80 },
      'a/b passed 2/3 (66.7%), which is too few runs to say whether it is below the required 80%',
    ],
    [
      { ...moved, control: rate(1, 5) },
      'a/b got worse, but not by this change: 20/20 runs passed on the base branch, 4/15 here, and the base commit, run again just now, passed 1/5; refresh the baseline',
    ],
    [
      moved,
      'a/b got worse, but not by this change: 20/20 runs passed on the base branch, 4/15 here, and the suite did as badly when the base commit was run again just now; refresh the baseline',
    ],
    [
      { kind: 'environment_moved', before: rate(1900, 2000), after: rate(210, 300), control: rate(140, 200) },
      'the suite as a whole got worse, but not by this change: 1900/2000 runs passed on the base branch, 210/300 here, and the base commit, run again just now, passed 140/200; refresh the baseline',
    ],
    [
      { kind: 'not_proven', key: 'a/b', finding: { ...finding, control: rate(4, 5) } },
      'a/b may have regressed: 20/20 runs passed on the base branch, 4/5 when the base commit was run again, 8/15 here, which is too close to the fresh runs to tell',
    ],
    [
      { kind: 'control_unavailable', reason: 'the commit is not in this shallow clone' },
      'the base commit was not run again to check: the commit is not in this shallow clone',
    ],
    [
      { kind: 'young_baseline', cases: 5, of: 5, runs: 2 },
      'the baseline is too young to compare all 5 cases with: 2 runs at most on the base branch, and a drop shows from 3 on',
    ],
    [
      { kind: 'young_baseline', cases: 2, of: 5, runs: 1 },
      'the baseline is too young to compare 2 of 5 cases with: 1 run at most on the base branch, and a drop shows from 3 on',
    ],
    [
      { kind: 'young_baseline', cases: 1, of: 1, runs: 2 },
      'the baseline is too young to compare the only case with: 2 runs at most on the base branch, and a drop shows from 3 on',
    ],
    [{ kind: 'not_compared', state: states.none }, 'No baseline yet: main has no run yet'],
    [
      { kind: 'not_compared', state: states.ok },
      'nothing was compared: no case here is one that the base branch has judged runs of',
    ],
    [{ kind: 'removed', keys: ['a/b', 'a/c'] }, '2 cases of the base branch are gone: a/b, a/c'],
    [
      { kind: 'slower', finding: resource('duration') },
      'a typical case takes 1.40 times as long as on the base branch (limit 1.25); chance alone does that in 0.1% of pull requests',
    ],
    [
      { kind: 'costlier', finding: resource('tokens') },
      'a typical case uses 1.40 times as many tokens as on the base branch (limit 1.25); chance alone does that in 0.1% of pull requests',
    ],
    [
      { kind: 'unpriced', runs: 3, of: 9, limited: false },
      'the price of 3 of 9 runs is not known, so the cost is at least what is shown',
    ],
    [
      { kind: 'unpriced', runs: 1, of: 9, limited: true },
      'the price of 1 of 9 runs is not known, so the cost is at least what is shown and its limit counts only the others',
    ],
    [
      { kind: 'history_shrunk', detail: 'the artifact of run 811 on main has expired' },
      'less history than there was: the artifact of run 811 on main has expired',
    ],
    [
      { kind: 'unchanged_suites', suites: ['a.jsonl'], cases: 1 },
      "1 case was not run: nothing that its suite depends on was changed, and the base branch's runs stand for it",
    ],
    [
      { kind: 'unchanged_suites', suites: ['a.jsonl', 'b.jsonl'], cases: 7 },
      "7 cases were not run: nothing that their 2 suites depend on was changed, and the base branch's runs stand for them",
    ],
  ])('%j', (note, words) => {
    expect(describeNote(note)).toBe(words)
  })
})

describe('what could not have been seen', () => {
  const fixed: GateSettings = { ...GATE_DEFAULTS, maxRuns: 3 }
  test.each([
    [
      { caseDrop80: 52, caseDrop50: 40, suiteDrop80: 6 },
      GATE_DEFAULTS,
      'With 20 runs on the base branch and 3 to 15 here, one case that always passed and drops by 52 points is noticed in four of five pull requests, and a drop of less than 40 points would usually be missed; a drop of 6 points in all 100 cases is noticed in four of five.',
    ],
    [
      { caseDrop80: 72, caseDrop50: 50, suiteDrop80: 1 },
      fixed,
      'With 20 runs on the base branch and 3 here, one case that always passed and drops by 72 points is noticed in four of five pull requests, and a drop of less than 50 points would usually be missed; a drop of 1 point in all 100 cases is noticed in four of five.',
    ],
    [
      { caseDrop50: 97, suiteDrop80: 30 },
      fixed,
      'With 20 runs on the base branch and 3 here, of one case that always passed a drop of less than 97 points would usually be missed, and no drop of it is noticed in four of five pull requests; a drop of 30 points in all 100 cases is noticed in four of five.',
    ],
    [
      {},
      fixed,
      'With 20 runs on the base branch and 3 here, not even one case that always passed and now always fails would be noticed; a drop of all 100 cases together would be missed.',
    ],
  ])('%j', (drops, settings, words) => {
    const sensitivity = { baselineRuns: 20, comparedCases: 100, ...drops }
    expect(describeSensitivity({ sensitivity, settings })).toBe(words)
  })
})
