/** Every output of the action once, in the order of the README; set also when the gate is closed. */
export const OUTPUTS = {
  status: 'passed or failed: the verdict, and the result of the job; skipped where the secrets it needs are withheld',
  conclusion: 'success, neutral, failure or cancelled; neutral passes, but something was not compared',
  passed: 'Cases whose every run passed',
  failed: 'Cases with at least one failed run',
  errors: 'Cases without a failed run that could not be judged in at least one run, time limits included',
  skipped: 'Cases that the suite skips',
  total: 'All loaded cases',
  'pass-rate': 'Passed runs as a percentage of all executed runs, 0 to 100; n/a when nothing was run',
  stable: 'Cases that passed every run',
  'mostly-stable': 'Cases that passed at least 80 % of their runs, but not all',
  unstable: 'Cases that passed at least half of their runs, but less than 80 %',
  'highly-unstable': 'Cases that passed less than half of their runs',
  regressions: 'Cases that regressed against the baseline and were not accepted or quarantined',
  improvements: 'Cases that are shown to be better than on the base branch',
  new: 'Cases that the base branch does not know, or knows with another definition',
  removed: 'Cases of the base branch that are gone',
  'gate-status': 'open or closed',
  'gate-title': 'The verdict in a few words, such as "Failed, 1 regression"',
  'gate-message': 'Why the gate is closed, in one line; empty when it is open',
  'exit-reason': 'passed, failed, regression, error, configuration or interrupted',
  'baseline-state': 'off, ok, none, expired, unreadable, not_comparable, self or too_thin',
  'baseline-sha': 'Commit of the baseline that was compared with; empty when there was none',
  'cost-usd': 'What all model calls cost; unknown as long as the price of one run is not known',
  tokens: 'Tokens of all model calls; unknown as long as one run does not tell its own',
  'duration-ms': 'How long it took, in milliseconds',
  'results-path': 'Absolute path of the first results file',
  'report-path': 'Absolute path of the first HTML or Markdown report; empty when none was asked for',
  'artifact-id': 'Id of the artifact with the results; empty when there is none',
  'comment-id': 'Id of the comment on the pull request; empty when there is none',
  'comment-url': 'Address of the comment on the pull request; empty when there is none',
  'check-url': 'Address of the check run; empty when there is none',
  json: 'Verdict and counts as one small JSON object, its schemaVersion first',
} as const

export type OutputName = keyof typeof OUTPUTS

export const OUTPUT_NAMES = Object.keys(OUTPUTS) as OutputName[]
