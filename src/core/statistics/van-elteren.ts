import { normalSurvival } from './normal.ts'
import { rankGroups, type Samples } from './ranks.ts'

/** Standard normal when nothing changed; positive when the values here are larger. */
export interface RankTest {
  readonly z: number
  /** One-sided: P(Z >= z). 1 when no case can tell the sides apart. */
  readonly p: number
}

/**
 * Van Elteren's test, a Wilcoxon test within each case, weighted by 1 / (values + 1): mid-ranks, variance corrected for
 * ties, no continuity correction. With one case it is the normal approximation of Mann and Whitney's test.
 * Source: spec verdict 9.
 */
export function vanElteren(strata: readonly Samples[]): RankTest {
  let [excess, variance] = [0, 0]
  for (const samples of strata) {
    const [here, before] = [samples.current.length, samples.baseline.length]
    const all = here + before
    if (here === 0 || before === 0) continue
    const groups = rankGroups(samples)
    const rankSum = groups.reduce((sum, group) => sum + group.rank * group.current, 0)
    const ties = groups.reduce((sum, { size }) => sum + (size ** 3 - size), 0)
    excess += (rankSum - (here * (all + 1)) / 2) / (all + 1)
    variance += ((here * before) / 12) * ((all + 1 - ties / (all * (all - 1))) / (all + 1) ** 2)
  }
  // A stratum of equal values leaves rounding dust, not variance.
  if (variance <= 1e-12) return { z: 0, p: 1 }
  const z = excess / Math.sqrt(variance)
  return { z, p: normalSurvival(z) }
}
