import { constants } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { quote } from '../../core/kind.ts'
import { findProgram } from '../command/find-program.ts'

/** Packages that hold the whole server for this platform. Source: spec opencode-server 1. */
const PACKAGES = ['opencode-linux-x64', 'opencode-linux-arm64', 'opencode-darwin-arm64', 'opencode-darwin-x64']
const RIPGREP = ['ripgrep-linux-x64', 'ripgrep-linux-arm64', 'ripgrep-darwin-arm64', 'ripgrep-darwin-x64']

const HINT = 'install it with "npm install -g opencode-ai@1", or name it with the setting "bin" or OPENCODE_BIN'

export type FoundBinary = { readonly file: string } | { readonly problem: Problem }

/** The setting, OPENCODE_BIN, `opencode` in PATH, then a platform package that the project has installed. */
export async function findBinary(bin: string | undefined, host: Host): Promise<FoundBinary> {
  const given = bin ?? host.env['OPENCODE_BIN']
  if (given !== undefined) {
    const found = await findProgram(given, host)
    if ('file' in found) return { file: await realpath(found.file) }
    const field = bin === undefined ? 'OPENCODE_BIN' : 'target.bin'
    return { problem: { field, message: `the program ${quote(given)} ${found.problem}`, hint: HINT } }
  }
  const onPath = await findProgram('opencode', host)
  if ('file' in onPath) return onPath
  const packaged = await firstProgram(modulesAbove(host.cwd, PACKAGES, 'bin/opencode'))
  if (packaged !== undefined) return { file: packaged }
  return { problem: { field: 'target', message: 'the program opencode was not found', hint: HINT } }
}

/** Folder with ripgrep, where it is not in PATH: the server would load it from the network at the first search. */
export async function findRipgrep(binary: string, host: Host): Promise<string | undefined> {
  if ('file' in (await findProgram('rg', host))) return undefined
  const beside = (folder: string) =>
    modulesAbove(
      folder,
      RIPGREP.map((name) => `@vscode/${name}`),
      'bin/rg',
    )
  const found = await firstProgram([...beside(host.cwd), ...beside(dirname(binary))])
  return found === undefined ? undefined : dirname(found)
}

function modulesAbove(folder: string, packages: readonly string[], file: string): string[] {
  const found: string[] = []
  for (let at = resolve(folder); ; at = dirname(at)) {
    found.push(...packages.map((name) => join(at, 'node_modules', name, file)))
    if (dirname(at) === at) return found
  }
}

async function firstProgram(files: readonly string[]): Promise<string | undefined> {
  for (const file of files) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return file
  }
  return undefined
}
