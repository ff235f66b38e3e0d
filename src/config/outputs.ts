/** Every output of the action once, in the order of the README; set also when the gate is closed. */
export const OUTPUTS = {
  status: 'passed or failed: the verdict, and the result of the job',
  passed: 'Cases whose every run passed',
  failed: 'Cases with at least one failed run',
  errors: 'Cases without a failed run that could not be judged in at least one run, time limits included',
  skipped: 'Cases that the suite skips',
  total: 'All loaded cases',
  'pass-rate': 'Passed runs as a percentage of all executed runs, 0 to 100; n/a when nothing was run',
  regressions: 'Number of cases that regressed against the baseline',
  'gate-status': 'open or closed',
  'gate-message': 'Why the gate is closed, in one line; empty when it is open',
  'exit-reason': 'passed, failed, regression, error, configuration or interrupted',
  'baseline-state': 'off, ok, none, expired, unreadable, not_comparable, self or too_thin',
  'baseline-sha': 'Commit of the baseline that was compared with; empty when there was none',
  'results-path': 'Absolute path of the first results file',
  'comment-url': 'Address of the comment on the pull request; empty when there is none',
  'check-url': 'Address of the check run; empty when there is none',
} as const

export type OutputName = keyof typeof OUTPUTS

export const OUTPUT_NAMES = Object.keys(OUTPUTS) as OutputName[]
