import type { z } from 'zod'
import { FAIL_ON } from '../core/verdict.ts'
import { duration, flag, listOf, oneOf, pattern, percent, text, texts, wholeNumber } from './value-schemas.ts'

/** Where an option exists: an action input has the option's long name. */
type Surface = 'both' | 'cli' | 'action'

/** Default as the user would write it; two where command line and action differ. */
export type Default = string | { readonly cli: string; readonly action: string }

export interface OptionDefinition {
  /** `value` takes one, `list` repeats (newline-separated in the action), `flag` takes none (true or false in the action). */
  readonly kind: 'value' | 'list' | 'flag'
  readonly on: Surface
  readonly short?: string
  /** Name of the argument in the help text. */
  readonly argument?: string
  readonly default?: Default
  /** Gets the text as written (an array of them for `list`, a boolean for `flag`). */
  readonly schema: z.ZodType
  readonly help: string
}

/** Keeps the literal type, so that `Settings` knows what each option parses to and whether it has a default. */
function option<const D extends OptionDefinition>(definition: D): D {
  return definition
}

/** Every setting once: argv, action inputs, `--help`, the README tables and action.yml all come from here. */
export const OPTIONS = {
  input: option({
    kind: 'list',
    on: 'both',
    short: 'i',
    argument: 'SUITE',
    schema: texts,
    help: 'What to run: JSONL suite, folder, glob, or a message',
  }),
  output: option({
    kind: 'list',
    on: 'both',
    short: 'o',
    argument: 'FILE',
    schema: texts,
    help: 'Results file; the extension picks the format (.jsonl, .json, .md)',
  }),
  name: option({
    kind: 'value',
    on: 'both',
    short: 'n',
    argument: 'ID',
    schema: text,
    help: 'Agent id; default: the nearest package.yao',
  }),
  target: option({
    kind: 'value',
    on: 'both',
    argument: 'TYPE:VALUE',
    schema: text,
    help: 'What to test, as TYPE:VALUE or a JSON object with "type"',
  }),
  connector: option({
    kind: 'value',
    on: 'both',
    short: 'c',
    argument: 'ID',
    schema: text,
    help: "Connector (model) in place of the agent's own",
  }),
  user: option({
    kind: 'value',
    on: 'both',
    short: 'u',
    argument: 'ID',
    schema: text,
    help: 'User id the agent sees (default: test-user)',
  }),
  team: option({
    kind: 'value',
    on: 'both',
    short: 't',
    argument: 'ID',
    schema: text,
    help: 'Team id the agent sees (default: test-team)',
  }),
  ctx: option({
    kind: 'value',
    on: 'both',
    argument: 'FILE',
    schema: text,
    help: 'JSON file with a custom context: authorization, metadata, locale',
  }),
  reporter: option({
    kind: 'value',
    on: 'both',
    short: 'r',
    argument: 'ID',
    schema: text,
    help: 'Agent that writes the output file instead of the built-in report',
  }),
  runs: option({
    kind: 'value',
    on: 'both',
    argument: 'N',
    default: { cli: '1', action: '3' },
    schema: wholeNumber(1),
    help: 'Runs of each case',
  }),
  run: option({
    kind: 'value',
    on: 'both',
    argument: 'REGEX',
    schema: pattern,
    help: 'Run only the cases whose id matches (RE2)',
  }),
  timeout: option({
    kind: 'value',
    on: 'both',
    argument: 'DURATION',
    default: '5m',
    schema: duration,
    help: 'Time limit of one run',
  }),
  parallel: option({
    kind: 'value',
    on: 'both',
    argument: 'N',
    default: { cli: '1', action: '4' },
    schema: wholeNumber(1),
    help: 'Runs at the same time',
  }),
  verbose: option({
    kind: 'flag',
    on: 'both',
    short: 'v',
    default: 'false',
    schema: flag,
    help: 'Show outputs and details',
  }),
  'fail-fast': option({
    kind: 'flag',
    on: 'both',
    default: 'false',
    schema: flag,
    help: 'Stop at the first run that does not pass',
  }),
  'min-pass-rate': option({
    kind: 'value',
    on: 'both',
    argument: 'PERCENT',
    default: { cli: '100', action: '80' },
    schema: percent,
    help: 'Pass rate that every case must reach',
  }),
  'fail-on': option({
    kind: 'list',
    on: 'both',
    argument: 'CAUSE',
    default: FAIL_ON.join(','),
    schema: listOf(FAIL_ON),
    help: `What makes the run red: ${FAIL_ON.join(', ')}`,
  }),
  'max-error-rate': option({
    kind: 'value',
    on: 'both',
    argument: 'PERCENT',
    default: '0',
    schema: percent,
    help: 'Share of errored runs that is tolerated',
  }),
  'allow-empty': option({
    kind: 'flag',
    on: 'both',
    default: 'false',
    schema: flag,
    help: 'Do not fail when no case was run',
  }),
  'require-baseline': option({
    kind: 'flag',
    on: 'both',
    default: 'false',
    schema: flag,
    help: 'Fail when there is nothing to compare with',
  }),
  'on-baseline-error': option({
    kind: 'value',
    on: 'both',
    argument: 'WHAT',
    default: 'fail',
    schema: oneOf(['fail', 'warn']),
    help: 'What an unreadable baseline does: fail, warn',
  }),
  baseline: option({
    kind: 'value',
    on: 'both',
    argument: 'FILE',
    default: { cli: '', action: 'auto' },
    schema: text,
    help: 'Baseline to compare with: a file, or in the action auto (newest trustworthy run of the base branch)',
  }),
  'save-baseline': option({
    kind: 'value',
    on: 'both',
    argument: 'FILE',
    default: { cli: '', action: 'auto' },
    schema: text,
    help: 'Where to save the results as a baseline: a file, or in the action auto (an artifact, on the base branch only)',
  }),
  record: option({
    kind: 'value',
    on: 'both',
    argument: 'FILE',
    schema: text,
    help: "Write the provider's answers to a cassette that replays without a key",
  }),
  'exit-codes': option({
    kind: 'value',
    on: 'both',
    argument: 'STYLE',
    default: 'seed',
    schema: oneOf(['seed', 'detailed']),
    help: 'seed: 0 or 1; detailed: 1 failed, 2 regression, 3 error, 4 configuration, 130 interrupted',
  }),
  'dry-run': option({
    kind: 'flag',
    on: 'both',
    default: 'false',
    schema: flag,
    help: 'Load and check everything, list the runs, call nothing',
  }),
  'github-token': option({
    kind: 'value',
    on: 'action',
    default: '${{ github.token }}',
    schema: text,
    help: 'Token for comment, check run and baseline lookup',
  }),
  comment: option({
    kind: 'value',
    on: 'action',
    default: 'always',
    schema: oneOf(['always', 'changes', 'failures', 'off']),
    help: 'When to comment on the pull request: always, changes, failures, off',
  }),
  'comment-key': option({
    kind: 'value',
    on: 'action',
    default: 'default',
    schema: text,
    help: 'Keeps the comments of several jobs apart',
  }),
  'check-run': option({
    kind: 'flag',
    on: 'action',
    default: 'true',
    schema: flag,
    help: 'Create a check run with annotations',
  }),
  'check-name': option({
    kind: 'value',
    on: 'action',
    default: 'Agent tests',
    schema: text,
    help: 'Name of the check run',
  }),
  'job-summary': option({ kind: 'flag', on: 'action', default: 'true', schema: flag, help: 'Write the job summary' }),
  'max-annotations': option({
    kind: 'value',
    on: 'action',
    argument: 'N',
    default: '50',
    schema: wholeNumber(0),
    help: 'Annotations at most',
  }),
  'artifact-name': option({
    kind: 'value',
    on: 'action',
    default: 'agent-test-baseline',
    schema: text,
    help: 'Name of the baseline artifact',
  }),
  'retention-days': option({
    kind: 'value',
    on: 'action',
    argument: 'N',
    default: '90',
    schema: wholeNumber(1),
    help: 'Days the baseline artifact is kept',
  }),
  'working-directory': option({
    kind: 'value',
    on: 'action',
    default: '.',
    schema: text,
    help: 'Folder that paths are relative to',
  }),
} as const

export type OptionName = keyof typeof OPTIONS
