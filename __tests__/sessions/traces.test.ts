import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findSessions, keepSessions, readSession } from '../../src/sessions/index.ts'
import { translate } from '../../src/targets/index.ts'
import { aCase } from '../support/builders.ts'
import { fakeHost } from '../support/fake-host.ts'
import { describeTraces, keepTrace, timelineText } from '../support/opencode-traces.ts'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

describeTraces('recorded sessions of a real server, kept and read again', (names, load) => {
  test.each(names)('%s', async (name) => {
    const { path } = folder()
    const recorded = load(name)
    await keepTrace(recorded, keepSessions({ path, shown: 'kept' }, { cases: [aCase({ id: name })], host: fakeHost() }))
    const { sessions } = await findSessions(path, 'kept')
    expect(sessions).toHaveLength(1)
    const warnings: string[] = []
    const [first] = sessions
    const { trace, metadata } = await readSession(first ?? expect.fail(), (message) => void warnings.push(message))
    expect(warnings).toEqual([])
    expect(metadata).toMatchObject({ skipped: 0, partial: [] })
    const { sessions: listed, events } = recorded
    const messages = listed.flatMap((session) => session.messages)
    // Read message by message, it is what comes of all at once.
    expect(trace.events).toEqual(translate({ sessions: listed.map(({ info }) => info), messages, events }).events)
    await expect(timelineText(trace.events)).toMatchFileSnapshot(join('timelines', `${name}.txt`))
  })
})
