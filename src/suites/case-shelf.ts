import { type Case, caseKey } from '../core/suite.ts'
import { createTextStore } from '../lib/text-store.ts'
import { FINGERPRINT_LENGTH } from './fingerprint.ts'
import { textMessages } from './messages.ts'

/** Longer ones, such as those with attachments, stay objects: parsing them for each run would cost more. */
const MAX_PACKED = 16 * 1024
/** Parsed cases that are kept: at least as many as run at a time, so that a run parses its case once. */
const MAX_PARSED = 128

export interface CaseShelf {
  /** The case in a form that takes a third of the memory. */
  pack(item: Case): Case
}

/** What is looked at only while a case runs. */
type Contents = Pick<Case, 'input' | 'messages' | 'assertions' | 'options' | 'metadata'>

/** What a packed case keeps as it is. */
type Own = Pick<
  Case,
  | 'id'
  | 'user'
  | 'team'
  | 'timeoutMs'
  | 'conversation'
  | 'before'
  | 'after'
  | 'session'
  | 'evaluations'
  | 'gate'
  | 'tags'
  | 'skip'
>

/** What a packed case has of its own; all else is computed. */
interface Packed extends Own {
  readonly line: number
  /** Where its fingerprint and contents lie in the store, and their size. */
  readonly at: number
  readonly size: number
}

/**
 * Keeps the cases of one suite small, their contents as JSON text outside of the heap: a hundred thousand of them as
 * objects would take 55 MB, and more than that again for what the garbage collector lets the heap grow by. A packed
 * case reads like any other; but most of it is computed, so it cannot be spread.
 */
export function createCaseShelf(suite: string): CaseShelf {
  const texts = createTextStore()
  // By line, so that cases that run together have slots of their own.
  const parsed: ({ readonly at: number; readonly contents: Contents } | undefined)[] = []
  const contentsOf = ({ line, at, size }: Packed): Contents => {
    const slot = line % MAX_PARSED
    const known = parsed[slot]
    if (known?.at === at) return known.contents
    const contents = parse(texts.read({ at: at + FINGERPRINT_LENGTH, size: size - FINGERPRINT_LENGTH }))
    parsed[slot] = { at, contents }
    return contents
  }
  const computed: Omit<Case, 'id'> & ThisType<Packed> = {
    suite,
    get key() {
      return caseKey(suite, this.id)
    },
    get location() {
      return { file: suite, line: this.line }
    },
    get fingerprint() {
      return texts.read({ at: this.at, size: FINGERPRINT_LENGTH })
    },
    get input() {
      return contentsOf(this).input
    },
    get messages() {
      return contentsOf(this).messages
    },
    get assertions() {
      return contentsOf(this).assertions
    },
    get options() {
      return contentsOf(this).options
    },
    get metadata() {
      return contentsOf(this).metadata
    },
  }
  return {
    pack(item) {
      const json = stringify(item)
      if (json.length > MAX_PACKED) return item
      const place = texts.add(item.fingerprint + json)
      return Object.assign(Object.create(computed) as Case, ownOf(item), { line: item.location.line, ...place })
    },
  }
}

/** `user` and the like only where the case has them: what is not there takes no memory. */
function ownOf(item: Case): Own {
  const { id, user, team, timeoutMs, conversation, before, after, session, evaluations, gate, tags, skip } = item
  return {
    id,
    ...(user === undefined ? {} : { user }),
    ...(team === undefined ? {} : { team }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    ...(session === undefined ? {} : { session }),
    ...(evaluations === undefined ? {} : { evaluations }),
    ...(gate === undefined ? {} : { gate }),
    ...(tags === undefined ? {} : { tags }),
    ...(skip === undefined ? {} : { skip }),
  }
}

/** 0 stands for what need not be stored: the messages of a text follow from it, most cases have no options. */
type Stored = readonly [
  input: Case['input'],
  messages: Case['messages'] | 0,
  assertions: Case['assertions'],
  options: Case['options'] | 0,
  metadata: Case['metadata'] | 0,
]

function stringify({ input, messages, assertions, options, metadata }: Contents): string {
  const said = typeof input === 'string' ? 0 : messages
  const stored: Stored = [input, said, assertions, zeroIfEmpty(options), zeroIfEmpty(metadata)]
  return JSON.stringify(stored)
}

function zeroIfEmpty<T extends object>(value: T): T | 0 {
  return Object.keys(value).length === 0 ? 0 : value
}

function parse(json: string): Contents {
  const [input, messages, assertions, options, metadata] = JSON.parse(json) as Stored
  return {
    input,
    messages: messages === 0 ? textMessages(input as string) : messages,
    assertions,
    options: options === 0 ? {} : options,
    metadata: metadata === 0 ? {} : metadata,
  }
}
