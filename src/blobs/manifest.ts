import { createHash } from 'node:crypto'
import type { PlanCut } from '../core/run-blob.ts'

/** The part of a plan that decides whether runs of it may be counted together. */
export interface ManifestPlan {
  readonly cases: readonly ManifestCase[]
  readonly runsPerCase: number
  readonly connector?: string
  readonly flags: { readonly user?: string | undefined; readonly team?: string | undefined }
  /** What it was cut from. */
  readonly cut?: Pick<PlanCut, 'manifest'>
}

interface ManifestCase {
  readonly item: { readonly key: string; readonly fingerprint: string }
  readonly target: { readonly label: string }
  readonly fingerprint?: string
  readonly requestedModel?: string
}

/**
 * Hash, in hexadecimal digits, of what is asked of whom and how often, in its order; of the whole plan where this is a
 * part of one. No gate is in it: the same runs may be judged by any.
 */
export function manifestOf(plan: ManifestPlan): string {
  if (plan.cut) return plan.cut.manifest
  const hash = createHash('sha256')
  const { runsPerCase, connector, flags } = plan
  hash.update(line([runsPerCase, connector ?? null, flags.user ?? null, flags.team ?? null]))
  for (const { item, target, fingerprint, requestedModel } of plan.cases) {
    hash.update(line([item.key, fingerprint ?? item.fingerprint, target.label, requestedModel ?? null]))
  }
  return hash.digest('hex')
}

/** JSON has no line break, so no two lists of cases read the same. */
function line(parts: readonly (string | number | null)[]): string {
  return `${JSON.stringify(parts)}\n`
}
