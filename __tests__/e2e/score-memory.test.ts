import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'
import { tempFolders } from '../support/temp-folder.ts'

const folder = tempFolders()

const MEGABYTES = 200

interface Shape {
  /** Characters of each tool's output. */
  readonly output: number
}

/** A session with a message stream of this size: a user who agrees now and then, an agent that reads, asks and runs. */
async function writeSession(path: string, { output }: Shape): Promise<number> {
  mkdirSync(path)
  writeFileSync(join(path, 'session.json'), '{"id":"big"}')
  const stream = createWriteStream(join(path, 'messages.jsonl'))
  let count = 0
  for (let bytes = 0; bytes < MEGABYTES * 1e6; count += 1) {
    const line = `${JSON.stringify(messageOf(count, output))}\n`
    bytes += line.length
    if (!stream.write(line)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
  return count
}

function messageOf(number: number, output: number) {
  const at = 1_700_000_000_000 + number * 1_000
  const id = `msg_${number}`
  const time = { created: at, completed: at + 500 }
  if (number % 50 === 0)
    return { info: { id, role: 'user', time }, parts: [{ id: `${id}_0`, type: 'text', text: 'Yes, go on.' }] }
  const isRead = number % 3 > 0
  const input = isRead ? { filePath: `src/file-${number}.ts` } : { command: `npm test -- ${number}` }
  const said = `line ${number} of what it said `
  const state = {
    status: 'completed',
    input,
    output: said.repeat(Math.ceil(output / said.length)),
    metadata: { exit: 0 },
    time: { start: at + 20, end: at + 30 },
  }
  const tokens = { input: 10, output: 5, reasoning: 0, cache: { read: 0, write: 0 } }
  return {
    info: { id, role: 'assistant', agent: 'build', providerID: 'p', modelID: 'm', cost: 0.001, tokens, time },
    parts: [
      { id: `${id}_0`, type: 'text', text: `Shall I go on with file ${number}?`, time: { start: at, end: at + 10 } },
      { id: `${id}_1`, type: 'tool', tool: isRead ? 'read' : 'bash', callID: `call_${number}`, state },
    ],
  }
}

test.each<[string, Shape]>([
  ['two thousand long messages', { output: 100_000 }],
  ['thirty thousand short ones', { output: 5_000 }],
])('a session of 200 MB is judged with a heap of 128 MB: %s', { timeout: 180_000 }, async (_, shape) => {
  const { path } = folder()
  const messages = await writeSession(join(path, 'big'), shape)
  const args = [
    '--max-old-space-size=128',
    inject('bundles').cli,
    'score',
    'big',
    '-o',
    'out.jsonl',
    '--threshold',
    '0',
    '--policy',
    'threshold',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: path,
    env: { PATH: process.env['PATH'] },
  })
  expect(stdout).toMatch(/^1 of 1 passed/m)
  const [line = ''] = readFileSync(join(path, 'out.jsonl'), 'utf8').split('\n')
  const told = JSON.parse(line) as { evaluations: { evaluator: string; status: string; violations: unknown[] }[] }
  const gate = told.evaluations.find(({ evaluator }) => evaluator === 'approval-gate')
  // Every command after the first is asked for again, and nobody answers but once in fifty.
  expect(gate?.violations.length).toBeGreaterThan(messages / 4)
})
