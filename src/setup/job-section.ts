import type { Config } from '../config/config.ts'
import type { Host } from '../core/host.ts'
import type { GitHubContext } from '../github/index.ts'
import { cut } from '../lib/escape.ts'
import type { JobSection } from '../reporters/index.ts'

const LONGEST_TITLE = 120

/**
 * Which job this is among those that share a comment. A runner names workflow, job and step in the environment and says
 * nothing of the matrix there: that comes as the default of the input `section`.
 */
export function jobSectionOf(
  config: Config,
  { workflowPath = '' }: Pick<GitHubContext, 'workflowPath'>,
  { env }: Pick<Host, 'env'>,
): JobSection {
  const { GITHUB_JOB: job = '', GITHUB_ACTION: step = '' } = env
  const { section, input, target = '', name = '', connector = '' } = config
  const tested = [input.join(', '), target, name, connector].filter((part) => part !== '')
  const label = labelOf(section)
  // What is tested tells two callers of one reusable workflow apart: they have the same job and step.
  const leg = JSON.stringify([workflowPath, job, step, section, input, target, name, connector])
  const title = label ?? [job, ...tested].filter((part) => part !== '').join(' · ')
  return { leg, title: cut(title, LONGEST_TITLE), ...(label === undefined ? {} : { label: cut(label, LONGEST_TITLE) }) }
}

/** The values of a matrix in the way GitHub names its jobs; other text as it is; undefined where there is none. */
export function labelOf(section: string): string | undefined {
  const text = section.trim()
  if (text === '') return undefined
  const values = valuesOf(parsed(text))
  return values === undefined ? text : values.length === 0 ? undefined : values.join(', ')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Undefined for anything but a matrix, which is an object, or null outside of a matrix. */
function valuesOf(matrix: unknown): string[] | undefined {
  if (matrix === null) return []
  if (typeof matrix !== 'object' || Array.isArray(matrix)) return undefined
  return Object.values(matrix).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
}
