import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Contexts, interpolate } from './expressions.ts'
import type { Values } from './workflow.ts'

/** The action under test: its manifest as committed, its code from a fresh bundle. */
export interface ActionUnderTest {
  readonly manifest: string
  /** Stands in for the folder `dist` of the manifest's `main`. */
  readonly bundle: string
}

export interface Manifest {
  readonly main: string
  readonly post: string | undefined
  readonly pre: boolean
  readonly inputs: Readonly<Record<string, { readonly default?: string | number | boolean }>>
}

const NODES = ['node20', 'node24']

interface RawManifest {
  readonly runs: { readonly using: string; readonly main: string; readonly post?: string; readonly pre?: string }
  readonly inputs?: Manifest['inputs']
}

export async function readManifest({ manifest, bundle }: ActionUnderTest): Promise<Manifest> {
  const { runs, inputs = {} } = parse(await readFile(manifest, 'utf8')) as RawManifest
  if (!NODES.includes(runs.using))
    throw new Error(`${manifest}: this runner runs ${NODES.join(', ')}, not ${runs.using}`)
  const inBundle = (path: string) => join(bundle, path.replace(/^dist\//, ''))
  return { main: inBundle(runs.main), post: runs.post && inBundle(runs.post), pre: runs.pre !== undefined, inputs }
}

/** INPUT_* of a step: what it gives, then the defaults; names upper-cased, blanks made underscores, hyphens kept. */
export function inputEnvironment(
  { inputs }: Manifest,
  given: Values,
  contexts: Contexts,
): { env: Values; warnings: string[] } {
  const names = Object.keys(inputs)
  const known = new Set(names.map((name) => name.toLowerCase()))
  const defaults = names.map((name) => [name, interpolate(String(inputs[name]?.default ?? ''), contexts)] as const)
  const values = [...defaults, ...Object.entries(given)].map(([name, value]) => [environmentName(name), value])
  const unexpected = Object.keys(given).filter((name) => !known.has(name.toLowerCase()))
  const list = `[${names.map((name) => `'${name}'`).join(', ')}]`
  const quoted = unexpected.map((name) => `'${name}'`).join(', ')
  return {
    env: Object.fromEntries(values) as Values,
    warnings: unexpected.length > 0 ? [`Unexpected input(s) ${quoted}, valid inputs are ${list}`] : [],
  }
}

function environmentName(input: string): string {
  return `INPUT_${input.replaceAll(' ', '_').toUpperCase()}`
}
