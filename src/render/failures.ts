import { failureDetails } from './failure-details.ts'
import { code } from './links.ts'
import { type FailureGroup, groupByLostCheck } from './lost-checks.ts'
import type { Scene } from './scene.ts'
import type { Standpoint } from './standing.ts'
import { blocks } from './table.ts'
import { plural } from './words.ts'

/** The evidence of the first cases of these, under the check that several of all lost; the first is open. */
export function failures(
  failing: readonly Standpoint[],
  scene: Scene,
  { most, length }: { readonly most: number; readonly length: number },
): string {
  const shown = new Set(failing.slice(0, most))
  const groups = groupByLostCheck(failing, scene.report.pools).filter(({ points }) =>
    points.some((point) => shown.has(point)),
  )
  const isShared = groups.some(({ check }) => check !== undefined)
  let isFirst = true
  const texts = groups.map((group) => {
    const cases = group.points
      .filter((point) => shown.has(point))
      .map((point) => {
        const text = failureDetails(point, scene, { length, open: isFirst })
        isFirst = false
        return text
      })
    return blocks(isShared ? titleOf(group) : undefined, ...cases)
  })
  return blocks(...texts)
}

function titleOf({ check, points }: FailureGroup): string {
  return check === undefined ? '#### Other failures' : `#### ${code(check)} fails in ${plural(points.length, 'case')}`
}
