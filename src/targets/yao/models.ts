import { type Problem, UserError } from '../../core/errors.ts'
import { openCassette } from '../chat/cassette.ts'
import type { ChatModel } from '../chat/chat-model.ts'
import { openProvider } from '../chat/openai.ts'
import { openRecorder } from '../chat/record.ts'
import type { TargetContext } from '../target.ts'
import type { Connector } from './connector-file.ts'
import type { Connectors } from './connectors.ts'

/** A connector with the model behind it. */
interface OpenModel {
  readonly connector: Connector
  readonly chat: ChatModel
}

type Place = Pick<Problem, 'file' | 'line' | 'field'>

/** The models of a target, opened as cases ask for them. */
export interface Models {
  /** What is wrong with a connector that was named at `place`. Reads its cassette, opens no connection. */
  problems(id: string, place: Place): readonly Problem[]
  connector(id: string): Connector | undefined
  /** Only for connectors without problems. */
  open(id: string): Promise<OpenModel>
  dispose(): Promise<void>
}

/** Throws a UserError when the cassette to record cannot be written. */
export function createModels(connectors: Connectors, { host, record }: TargetContext): Models {
  const recorder = record === undefined ? undefined : openRecorder(record, host)
  const opened = new Map<string, Promise<OpenModel>>()
  const tapes = new Map<string, ChatModel>()
  const connectorOf = (id: string) => {
    const found = connectors.find(id)
    return 'connector' in found ? found.connector : undefined
  }
  /** Cassettes are read before the first run, so that a broken one is found then. */
  const tapeOf = (id: string, source: Extract<Connector['source'], { kind: 'cassette' }>): ChatModel => {
    const tape = tapes.get(id) ?? openCassette({ ...source, recordWith: '-c CONNECTOR' }, host)
    tapes.set(id, tape)
    return tape
  }
  const tapeProblems = ({ id, source }: Connector, place: Place): readonly Problem[] => {
    if (source.kind !== 'cassette') return []
    if (recorder) {
      return [{ ...place, message: `connector ${id} is a cassette, and a cassette cannot be recorded from one` }]
    }
    try {
      tapeOf(id, source)
      return []
    } catch (error) {
      if (error instanceof UserError) return error.problems
      throw error
    }
  }
  const openModel = async (id: string): Promise<OpenModel> => {
    const connector = connectorOf(id)
    if (!connector) throw new Error(`connector ${id} was opened in spite of its problems`)
    const { source } = connector
    if (source.kind === 'cassette') return { connector, chat: tapeOf(id, source) }
    const provider = await openProvider(source.settings, host)
    return { connector, chat: recorder ? recorder.wrap(provider) : provider }
  }
  return {
    connector: connectorOf,
    problems(id, place) {
      const found = connectors.find(id)
      if ('connector' in found) return tapeProblems(found.connector, place)
      return found.problems.map((problem) => ({ ...(problem.file === undefined ? place : {}), ...problem }))
    },
    open(id) {
      const known = opened.get(id) ?? openModel(id)
      opened.set(id, known)
      return known
    },
    async dispose() {
      for (const { chat } of await Promise.all(opened.values())) await chat.dispose?.()
    },
  }
}
