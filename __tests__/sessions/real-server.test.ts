import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { TraceEvent } from '../../src/core/trace.ts'
import { keepSessions } from '../../src/sessions/index.ts'
import type { Target } from '../../src/targets/index.ts'
import { hasOpenCode, openTestbed, see, type Testbed } from '../support/opencode/testbed.ts'
import { readOne } from './kept.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const SCRIPTS = ['text', 'bash', 'write', 'task']

describe.skipIf(!hasOpenCode)('sessions of a real server that are kept while it runs', () => {
  let bed: Testbed
  let target: Target
  let path: string
  beforeAll(async () => {
    bed = await openTestbed()
    path = join(bed.temp, '..', 'kept')
    const cases = SCRIPTS.map((script) => bed.item(script, {}, { key: script }))
    target = await bed.open({}, { keeper: keepSessions({ path, shown: 'kept' }, { cases, host: bed.host }) })
  })
  afterAll(async () => {
    await target.dispose?.()
    await bed.close()
  })

  test.each(SCRIPTS)('%s: what is read from disk is what the target told', async (script) => {
    const { events } = await see(target, bed.item(script, {}, { key: script }))
    const folder = join(path, script, 'run-1')
    expect(readdirSync(folder).sort()).toEqual(['events.jsonl', 'run.json', 'sessions'])
    const { trace, metadata, session } = await readOne(folder)
    expect(metadata).toMatchObject({ skipped: 0, partial: [] })
    expect(session?.run).toMatchObject({ id: script, run: 1, agent: 'openagent', complete: true })
    const told = (list: readonly Partial<TraceEvent>[]) =>
      list.map(({ timestamp: _at, durationMs: _for, ...event }) => event)
    expect(told(trace.events)).toEqual(told(events as readonly Partial<TraceEvent>[]))
  })
})
