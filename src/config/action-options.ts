import { option } from './option.ts'
import { flag, oneOf, text, texts, wholeNumber } from './value-schemas.ts'

/** Options that exist only as inputs of the action. */
export const ACTION_OPTIONS = {
  mode: option({
    kind: 'value',
    on: 'action',
    default: 'test',
    schema: oneOf(['test', 'merge', 'report', 'bot']),
    help: 'test: run suites; merge: judge the shards of this workflow run together; report: post the results of a run that could not (workflow_run); bot: answer a comment (issue_comment)',
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
    help: 'Which comment: jobs with the same key share one, each with a section of its own',
  }),
  section: option({
    kind: 'value',
    on: 'action',
    default: '${{ toJSON(matrix) }}',
    schema: text,
    help: 'Tells this job from others in the comment and in the name of the check run; by default the values of its matrix',
  }),
  'required-env': option({
    kind: 'list',
    on: 'action',
    schema: texts,
    help: 'Environment variables with secrets that the tests need, one a line: without them a pull request of a fork or of Dependabot is skipped, visibly, and every other run fails before the first call',
  }),
  'bot-workflow': option({
    kind: 'value',
    on: 'action',
    schema: text.regex(/^[\w.-]+\.ya?ml$/, 'expected the file name of a workflow, such as agent-test.yml'),
    help: 'For mode bot: file name of the workflow that tests pull requests, such as agent-test.yml',
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
