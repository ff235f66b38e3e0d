import { fileURLToPath } from 'node:url'
import { stringify } from 'yaml'
import type { ActionUnderTest } from '../support/runner/manifest.ts'

const FOLDER = fileURLToPath(new URL('../fixtures/actions/stand-in', import.meta.url))

/** An action that runs the script it is given; `set(file, name, value)` writes to the runner's files. */
export const standIn: ActionUnderTest = { manifest: `${FOLDER}/action.yml`, bundle: FOLDER }

/** A workflow of one job; a step is the script of the stand-in action, or a whole step. */
export function workflowOf(steps: string | readonly object[], job: object = {}): string {
  const list = typeof steps === 'string' ? [{ id: 'it', uses: './', with: { script: steps } }] : steps
  return stringify({
    name: 'Agent tests',
    on: ['push', 'pull_request'],
    jobs: { test: { 'runs-on': 'ubuntu-latest', ...job, steps: list } },
  })
}
