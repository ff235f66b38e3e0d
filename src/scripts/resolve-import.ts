import { dirname, join, resolve } from 'node:path'
import type { ScriptFiles } from './script-files.ts'
import type { PathMappings } from './tsconfig-paths.ts'

export type ResolvedImport =
  /** Absolute path of a script below the root. */
  | { readonly kind: 'file'; readonly file: string }
  /** What Yao's runtime has as globals; mostly types. */
  | { readonly kind: 'runtime' }
  | { readonly kind: 'package' }
  | { readonly kind: 'missing' }

/** Where an import leads. Source: spec yao 7, "Loading". */
export async function resolveImport(
  specifier: string,
  from: string,
  { files, mappings }: { readonly files: ScriptFiles; readonly mappings: PathMappings },
): Promise<ResolvedImport> {
  const isRelative = /^\.{1,2}(?:\/|$)/.test(specifier)
  const targets = isRelative ? [resolve(dirname(from), specifier)] : await mappings.targetsOf(specifier, from)
  for (const target of targets) {
    const file = await files.firstOf(candidates(target))
    if (file !== undefined) return { kind: 'file', file }
  }
  if (isRuntime(specifier)) return { kind: 'runtime' }
  return isRelative || targets.length > 0 ? { kind: 'missing' } : { kind: 'package' }
}

function isRuntime(specifier: string): boolean {
  return /^@(?:yao|yaoapp|gou)/.test(specifier) || /\/(?:yao|gou)$/.test(specifier)
}

/** TypeScript names a file by the `.js` that it would become, too. */
function candidates(target: string): string[] {
  const [, stem] = /^(.*)\.js$/.exec(target) ?? []
  return [
    ...(/\.(?:ts|js|json)$/.test(target) ? [target] : []),
    ...(stem === undefined ? [] : [`${stem}.ts`]),
    `${target}.ts`,
    `${target}.js`,
    `${target}.json`,
    join(target, 'index.ts'),
    join(target, 'index.js'),
  ]
}
