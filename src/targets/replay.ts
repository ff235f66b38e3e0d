import { type FileHandle, open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { type Problem, problemsError, TargetError } from '../core/errors.ts'
import { recordedTurn, recordedUserTurn } from './replay/recorded-turns.ts'
import { indexRecording, type Recording } from './replay/recording.ts'
import { defineTarget, type RunRequest } from './target.ts'

const HINT = 'replay reads the results file that agent-test writes with -o FILE.jsonl'

/**
 * The recorded runs of an earlier results file. It bears the recorded agent's label: a replay stands for the run it
 * replays, and is compared with the same baseline.
 */
export const replay = defineTarget({
  type: 'replay',
  schema: z.object({
    file: z
      .string({ error: 'expected the path of a .jsonl results file' })
      .describe('Results file of an earlier run (.jsonl)'),
  }),
  fromValue: (file) => ({ file }),
  async create({ file }, { host }) {
    const path = resolve(host.cwd, file)
    const { handle, recording } = await openRecording(path, file)
    return {
      label: recording.agent ?? `replay:${file}`,
      reads: [path],
      isRecorded: true,
      // What was recorded is the whole session.
      runsSessions: true,
      async *execute(request) {
        if (request.signal.aborted)
          throw new TargetError('the run was stopped', { code: 'ABORTED', cause: request.signal.reason })
        const recorded = await recordedRun(recording, request, file)
        const { events, error } = request.turn ? recordedTurn(recorded, request.turn.number) : recorded
        yield* events
        if (error) throw error
      },
      userTurn: async (request, turn) => recordedUserTurn(await recordedRun(recording, request, file), turn),
      dispose: () => handle.close(),
    }
  },
  inCheckout: 'recorded answers are the same on every commit',
})

async function openRecording(path: string, file: string): Promise<{ handle: FileHandle; recording: Recording }> {
  const handle = await open(path).catch((cause: unknown) => {
    throw invalid([unreadable(file, cause)])
  })
  try {
    const indexed = await indexRecording(handle, file)
    if ('recording' in indexed) return { handle, recording: indexed.recording }
    const [first, ...rest] = indexed.problems
    throw invalid(first ? [{ hint: HINT, ...first }, ...rest] : [])
  } catch (error) {
    await handle.close()
    throw isSystemError(error) ? invalid([unreadable(file, error)]) : error
  }
}

async function recordedRun(recording: Recording, { case: item, run }: RunRequest, file: string) {
  const found = recording.find(item.suite, item.id, run)
  if ('missing' in found) throw new TargetError(`${file}: ${found.missing}`, { code: 'NOT_RECORDED' })
  const recorded = await recording.read(found.at)
  const isSame = recorded?.id === item.id && recorded.run === run
  if (isSame) return recorded
  throw new TargetError(`${file}:${found.at.number}: the file has changed since it was opened`, {
    code: 'BAD_RESPONSE',
  })
}

function invalid(problems: readonly Problem[]) {
  return problemsError('INVALID_TARGET', problems)
}

function unreadable(file: string, cause: unknown): Problem {
  return { file, message: `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}` }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}
