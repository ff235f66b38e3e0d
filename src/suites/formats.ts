import { extname } from 'node:path'
import * as all from './all.ts'
import type { SuiteFormat } from './suite-format.ts'

const formats: readonly SuiteFormat[] = Object.values(all)

export const suiteExtensions = formats.flatMap((format) => format.extensions)
export const foundExtensions = formats.flatMap((format) => format.foundByExtension)

/** The format of a file by its extension, in any case. */
export function formatOf(path: string): SuiteFormat | undefined {
  return formats.find((format) => format.extensions.includes(extname(path).toLowerCase()))
}
