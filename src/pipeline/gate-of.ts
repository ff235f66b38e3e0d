import type { Config } from '../config/config.ts'
import type { Gate } from '../core/gate.ts'

export function gateOf(config: Config): Gate {
  return {
    failOn: config['fail-on'],
    minPassRate: config['min-pass-rate'],
    thresholdMode: config['threshold-mode'],
    thresholdScope: config['threshold-scope'],
    maxErrorRate: config['max-error-rate'],
    allowEmpty: config['allow-empty'],
    requireBaseline: config['require-baseline'],
    onBaselineError: config['on-baseline-error'],
    maxLatencyIncrease: config['max-latency-increase'],
    maxCostIncrease: config['max-cost-increase'],
  }
}
