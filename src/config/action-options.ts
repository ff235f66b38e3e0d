import { option } from './option.ts'
import { flag, oneOf, text, wholeNumber } from './value-schemas.ts'

/** Options that exist only as inputs of the action. */
export const ACTION_OPTIONS = {
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
