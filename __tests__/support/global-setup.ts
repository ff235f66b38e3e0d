import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type Bundles, buildBundles } from './bundle.ts'
import { parseModule } from './parse-module.ts'
import { buildSandboxProgram } from './sandbox-program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly bundles: Bundles
    readonly sandboxProgram: string
  }
}

/** Builds both bundles once per test run; tests get them by `inject('bundles')`, and the sandbox's program. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('sandboxProgram', await buildSandboxProgram())
  if (await needsBundles(await selectedFiles(project))) project.provide('bundles', await buildBundles())
}

/** A run of a few unit tests does not wait for a build. */
async function selectedFiles(project: TestProject): Promise<readonly string[]> {
  const filters = process.argv.slice(2).filter((argument) => argument !== 'run' && !argument.startsWith('-'))
  const { testFiles } = await project.globTestFiles(filters)
  return testFiles.length > 0 ? testFiles : (await project.globTestFiles()).testFiles
}

/** Whether one of the files, or a helper that it imports, asks for the bundles. */
async function needsBundles(files: readonly string[], seen = new Set<string>()): Promise<boolean> {
  for (const file of files) {
    if (seen.has(file)) continue
    seen.add(file)
    const text = await readFile(file, 'utf8').catch(() => '')
    if (text.includes("inject('bundles')")) return true
    const { imports } = parseModule(file, text)
    const helpers = imports.map(({ specifier }) => resolve(dirname(file), specifier))
    if (
      await needsBundles(
        helpers.filter((helper) => helper.includes('__tests__') && helper.endsWith('.ts')),
        seen,
      )
    )
      return true
  }
  return false
}
