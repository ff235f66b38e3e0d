import type { KindConfig } from '../core/kind.ts'
import { assertions } from './registry.ts'

/** A function of a script that an assertion calls. */
export interface CalledAt {
  readonly name: string
  /** Position of the assertion in its list. */
  readonly index: number
}

/** The functions that these assertions call. */
export function calledFunctions(configs: readonly KindConfig[]): CalledAt[] {
  return configs.flatMap((config, index) => {
    const name = assertions.get(config.type)?.called?.(config)
    return name === undefined ? [] : [{ name, index }]
  })
}

/** A file of the author's own that an assertion calls, relative to the suite. */
export interface PluginAt {
  readonly file: string
  /** Position of the assertion in its list. */
  readonly index: number
}

export function pluginFiles(configs: readonly KindConfig[]): PluginAt[] {
  return configs.flatMap((config, index) => {
    const file = assertions.get(config.type)?.plugin?.(config)
    return file === undefined ? [] : [{ file, index }]
  })
}
