import { posix } from 'node:path'
import { type Import, parseModule } from './parse-module.ts'

/** Source files by their path below src, with `/`. */
export type Sources = ReadonlyMap<string, string>

interface Layer {
  readonly row: number
  /** npm packages, and `node:` for Node's own, that the folder may import. */
  readonly packages?: readonly string[]
  /** Folders whose kinds are reached through index.ts or the interface file only. */
  readonly doors?: readonly string[]
}

/** A file imports only from rows below its own, and from its own folder; siblings never. */
export const LAYERS: Readonly<Record<string, Layer>> = {
  'version.ts': { row: 0 },
  lib: { row: 0, packages: ['node:', 're2js', 'jsonrepair', 'yaml'] },
  core: { row: 1, packages: ['zod'] },
  sandbox: { row: 1.4, packages: ['node:', 'quickjs-emscripten'] },
  scripts: { row: 1.6, packages: ['node:', 'sucrase', 'jsonc-parser'] },
  assertions: { row: 2, packages: ['zod', 'jsonpath-plus'], doors: ['index.ts', 'assertion.ts'] },
  evaluators: { row: 2, packages: ['zod'], doors: ['index.ts', 'evaluator.ts'] },
  targets: {
    row: 2,
    packages: ['node:', 'zod', 'openai', 'yaml', 'jsonc-parser', '@opencode-ai/sdk'],
    doors: ['index.ts', 'target.ts'],
  },
  render: { row: 2, packages: ['markdown-table'], doors: ['index.ts'] },
  github: { row: 2, packages: ['node:', 'zod', '@octokit/*', '@actions/github'] },
  artifacts: { row: 2.5, packages: ['node:', 'fflate', '@actions/artifact'], doors: ['index.ts'] },
  git: { row: 2, packages: ['node:'], doors: ['index.ts'] },
  suites: { row: 3, packages: ['node:', 'zod', 'yaml', 'tinyglobby'], doors: ['index.ts', 'suite-format.ts'] },
  sessions: { row: 3, packages: ['node:'], doors: ['index.ts'] },
  runner: { row: 3, packages: ['node:'] },
  reporters: { row: 3, packages: ['node:'], doors: ['index.ts', 'reporter.ts'] },
  baselines: {
    row: 3,
    packages: ['node:', 'zod'],
    doors: ['index.ts', 'baseline-store.ts'],
  },
  blobs: { row: 3, packages: ['node:', 'zod'], doors: ['index.ts'] },
  policies: { row: 3, packages: ['node:', 'zod', 'yaml'], doors: ['index.ts'] },
  config: { row: 4, packages: ['node:', 'zod', 'yaml'] },
  setup: { row: 5, packages: ['node:'] },
  pipeline: { row: 5.1 },
  'pipeline.ts': { row: 5.2 },
  commands: { row: 5.5, packages: ['node:'], doors: ['index.ts', 'command.ts', 'action-job.ts'] },
  'cli.ts': { row: 6, packages: ['node:'] },
  'action.ts': { row: 6, packages: ['node:', '@actions/core'] },
}

/** The sandbox's worker is a program of its own. */
const ENTRIES = ['cli.ts', 'action.ts', 'sandbox/worker.ts']

/** A child's process group can be signalled by the process alone. */
const SIGNALLERS = ['targets/command/process-group.ts']

/** Megabytes that only some runs need: behind `await import()`, so that the rest starts without them. */
const LAZY_PACKAGES = ['@actions/artifact', '@opencode-ai/sdk']

/** Everything in `sources` that the architecture forbids, as sentences that begin with file and line. */
export function violationsOf(sources: Sources): string[] {
  const modules = [...sources].map(([path, text]) => ({ path, ...parseModule(path, text) }))
  return [
    ...modules.flatMap(({ path, imports }) => imports.flatMap((item) => importViolations(path, item, sources))),
    ...modules.flatMap(({ path, worldUses }) => {
      if (ENTRIES.includes(path)) return []
      return worldUses.map(({ name, line }) => `${path}:${line} uses ${name}: only the entries do; take it from Host`)
    }),
    ...cyclesOf(new Map(modules.map(({ path, imports }) => [path, valueImports(path, imports)]))),
    ...unlistedKinds(modules),
  ]
}

function importViolations(path: string, item: Import, sources: Sources): string[] {
  const at = `${path}:${item.line} imports ${item.specifier}`
  const layer = LAYERS[unitOf(path)]
  if (!layer) return [`${path}: ${unitOf(path)} has no row in the table of layers`]
  return item.specifier.startsWith('.')
    ? localViolations(path, item, at, sources)
    : packageViolations(path, item, at, layer)
}

function localViolations(path: string, { specifier }: Import, at: string, sources: Sources): string[] {
  const target = posix.join(posix.dirname(path), specifier)
  const [from, to] = [unitOf(path), unitOf(target)]
  if (from === to || !sources.has(target)) return []
  const [own, other] = [LAYERS[from], LAYERS[to]]
  if (own && other && other.row >= own.row)
    return [`${at}: ${from} (row ${own.row}) may not use ${to} (row ${other.row})`]
  const doors = other?.doors
  if (!doors || doors.includes(target.slice(to.length + 1))) return []
  return [`${at}: ${to} is entered through ${doors.join(' or ')}`]
}

function packageViolations(path: string, { specifier, kind }: Import, at: string, { packages = [] }: Layer): string[] {
  const isWorld = specifier === 'node:process' || specifier === 'node:console'
  if (isWorld && !SIGNALLERS.includes(path)) return [`${at}: only the entries touch the process`]
  const name = packageOf(specifier)
  const isAllowed = packages.some((allowed) =>
    allowed.endsWith('/*') ? name.startsWith(allowed.slice(0, -1)) : name === allowed,
  )
  if (!isAllowed) return [`${at}: ${unitOf(path)} may use ${packages.join(', ') || 'no package'}`]
  return LAZY_PACKAGES.includes(name) && kind === 'static' ? [`${at} eagerly: use await import()`] : []
}

/** Imports that run code: a cycle of types alone does no harm. */
function valueImports(path: string, imports: readonly Import[]): string[] {
  return imports.flatMap(({ specifier, kind }) =>
    kind === 'static' && specifier.startsWith('.') ? [posix.join(posix.dirname(path), specifier)] : [],
  )
}

function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>()
  const found: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      found.push(`${[...trail.slice(trail.indexOf(path)), path].join(' -> ')}: a cycle`)
      return
    }
    if (finished.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    finished.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return found
}

type ParsedFile = { readonly path: string } & ReturnType<typeof parseModule>

/** In a folder with a registry, a kind that all.ts does not name would never be found by users. */
function unlistedKinds(modules: readonly ParsedFile[]): string[] {
  const registries = new Map(
    modules
      .filter(({ path }) => path.endsWith('/all.ts'))
      .map((all) => [unitOf(all.path), valueImports(all.path, all.imports)]),
  )
  return modules.flatMap(({ path, kinds }) => {
    const listed = registries.get(unitOf(path))
    return !listed || listed.includes(path)
      ? []
      : kinds.map((kind) => `${path}: ${kind} is not listed in ${unitOf(path)}/all.ts`)
  })
}

/** The folder below src, or the file itself at the top. */
function unitOf(path: string): string {
  return path.split('/')[0] ?? path
}

function packageOf(specifier: string): string {
  if (specifier.startsWith('node:')) return 'node:'
  const parts = specifier.split('/')
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier)
}
