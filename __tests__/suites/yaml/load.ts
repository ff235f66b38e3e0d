import type { Case } from '../../../src/core/suite.ts'
import { type LoadedSuites, loadSuites } from '../../../src/suites/index.ts'
import { fakeHost } from '../../support/fake-host.ts'
import { casesOf, described, folderWith } from '../folder.ts'

interface LoadedText {
  readonly loaded: LoadedSuites
  readonly cases: readonly Case[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly cwd: string
}

interface TextOptions {
  /** Files beside it, by their paths. */
  readonly files?: Readonly<Record<string, string>>
  readonly strict?: boolean
  readonly env?: Readonly<Record<string, string>>
}

/** Loads one YAML text as `tests/test.yaml` of a fresh folder, named by itself. */
export async function loadYaml(
  text: string,
  { files = {}, strict = false, env = {} }: TextOptions = {},
): Promise<LoadedText> {
  const cwd = folderWith({ '.git/HEAD': '', ...files, 'tests/test.yaml': text })
  return { ...(await loadIn(cwd, ['tests/test.yaml'], { strict, env })), cwd }
}

export async function loadIn(
  cwd: string,
  inputs: readonly string[],
  { strict = false, env = {} }: Pick<TextOptions, 'strict' | 'env'> = {},
): Promise<LoadedText> {
  const loaded = await loadSuites({ inputs, host: fakeHost({ cwd, env }), strict })
  const warnings = [...loaded.warnings, ...loaded.suites.flatMap((suite) => suite.warnings)]
  return { loaded, cases: casesOf(loaded), problems: described(loaded), warnings, cwd }
}

/** The settings of one evaluator of a case. */
export function settingsOf(item: Case | undefined, type: string) {
  const found = item?.evaluations?.evaluators.find((evaluator) => evaluator.type === type)
  if (!found) return undefined
  const { type: _type, ...settings } = found
  return settings
}
