import type { Host } from '../core/host.ts'
import type { TrustedRun } from '../github/index.ts'
import { plainText } from '../lib/escape.ts'
import type { Relation } from './candidates.ts'

export function describeRun({ number, branch }: Pick<TrustedRun, 'number' | 'branch'>): string {
  return `run ${number} on ${plainText(branch, { maxLength: 100 })}`
}

/** Ready to be followed by the age. */
export function describeRelation(relation: Relation): string {
  switch (relation.kind) {
    case 'merge_base':
      return 'merge base, '
    case 'previous_commit':
      return 'the commit before, '
    case 'ancestor': {
      const commits = `${relation.distance} commit${relation.distance === 1 ? '' : 's'}`
      return `${commits} before ${relation.of === 'merge_base' ? 'the merge base' : 'the previous one'}, `
    }
    case 'unrelated':
      return 'the newest run, because neither the merge base nor a commit before it has one, '
    case 'self':
      return ''
  }
}

/** Such as `5 min`; `time` is RFC 3339. */
export function describeAge(time: string, host: Pick<Host, 'now'>): string {
  const minutes = Math.max(0, Math.round((host.now() - Date.parse(time)) / 60_000))
  if (minutes < 120) return `${minutes} min`
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}
