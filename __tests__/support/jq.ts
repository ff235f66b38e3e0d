import { execFileSync } from 'node:child_process'

const program = 'jq'

/** Runs the seed's recipes as its users do; throws with `status` when jq says no. */
export function jq(...args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

export const hasJq = (() => {
  try {
    return jq('--version') !== ''
  } catch {
    return false
  }
})()
