import { extname } from 'node:path'
import * as all from './all.ts'
import type { SuiteFormat } from './suite-format.ts'

const formats: readonly SuiteFormat[] = Object.values(all)

export const suiteExtensions = formats.flatMap((format) => format.extensions)
export const foundExtensions = formats.flatMap((format) => format.foundByExtension)

/** Where files of an extension are not looked for. */
export const passedOver = formats.flatMap(({ foundByExtension, passedOver: folders = [] }) =>
  folders.flatMap((folder) => foundByExtension.map((extension) => ({ folder, extension }))),
)

/** The format of a file by its extension, in any case. */
export function formatOf(path: string): SuiteFormat | undefined {
  return formats.find((format) => format.extensions.includes(extname(path).toLowerCase()))
}
