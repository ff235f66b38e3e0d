import { afterEach } from 'vitest'
import type { ContextFile } from '../../src/core/identity.ts'
import type { Means } from '../../src/core/means.ts'
import type { RunResult } from '../../src/core/result.ts'
import { loadSuites } from '../../src/suites/index.ts'
import { createTarget, type Target } from '../../src/targets/index.ts'
import { fakeHost } from './fake-host.ts'
import { aPlan, runPlan } from './plans.ts'
import { tempFolders } from './temp-folder.ts'

interface World {
  /** More files of the application. */
  readonly files?: Readonly<Record<string, string>>
  readonly runs?: number
  readonly parallel?: number
  readonly timeoutMs?: number
  readonly context?: ContextFile
  readonly flags?: { readonly user?: string; readonly team?: string }
  readonly means?: Means
}

/** Runs the script tests of an agent `lab`, from `src/unit_test.ts`; gives their results by name, in the order they ended. */
export function scriptTestbed() {
  const folderWith = tempFolders()
  const opened: Target[] = []
  afterEach(async () => {
    for (const target of opened.splice(0)) await target.dispose?.()
  })
  return async (tests: string, world: World = {}): Promise<RunResult[]> => {
    const { files = {}, runs = 1, parallel = 1, timeoutMs = 10_000, context, flags = {}, means } = world
    const { path } = folderWith({
      'app.yao': '{}',
      'assistants/lab/package.yao': '{"name": "Lab"}',
      'assistants/lab/src/unit_test.ts': tests,
      ...files,
    })
    const host = fakeHost({ cwd: path })
    const { suites, problems } = await loadSuites({ inputs: ['scripts.lab.unit'], host })
    const [suite] = suites
    if (!suite?.target) throw new Error(JSON.stringify(problems))
    const target = await createTarget(suite.target, { host, ...(context ? { context } : {}) })
    opened.push(target)
    const planned = suite.cases.map((item) => ({ item, target, ...(means ? { means } : {}) }))
    const settings = { runsPerCase: runs, parallel, timeoutMs, timeoutGiven: true, flags }
    const plan = aPlan(planned, { ...settings, ...(context ? { context } : {}) })
    const results: RunResult[] = []
    for await (const { result } of runPlan(plan, host)) results.push(result)
    return results
  }
}
