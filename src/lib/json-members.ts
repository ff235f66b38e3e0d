import type { FileHandle } from 'node:fs/promises'

/** Where a member of a document's outermost object lies, or an element of a member that is a list; in bytes. */
export interface JsonMember {
  readonly kind: 'member'
  readonly name: string
  /** Of an element, from 0. */
  readonly index?: number
  /** From 1. */
  readonly line: number
  readonly offset: number
  readonly length: number
}

/** Where the file stops being one JSON object; nothing follows it. */
export interface BrokenJson {
  readonly kind: 'broken'
  readonly line: number
  readonly why: 'not an object' | 'ends too early' | 'text after the end'
}

const CHUNK_BYTES = 1024 * 1024

/**
 * Finds the parts of a JSON document of any size without holding more than a piece of it. Only brackets, commas and
 * strings are looked at: whoever parses a part learns what is wrong inside of it.
 */
export async function* jsonMembers(handle: FileHandle): AsyncGenerator<JsonMember | BrokenJson> {
  const scan = startScan()
  for await (const chunk of handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES })) {
    for (const byte of chunk as Buffer) {
      if (scan.broken) break
      scan.offset += 1
      take(scan, byte)
    }
    yield* scan.found.splice(0)
    if (scan.broken) break
  }
  const { broken, isOver, depth, line } = scan
  if (broken) yield broken
  else if (!isOver) yield { kind: 'broken', line, why: depth === 0 ? 'not an object' : 'ends too early' }
}

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const NEWLINE = 0x0a
const BLANK = 0x20
const OBJECT = 0x7b
const LIST = 0x5b
const OBJECT_END = 0x7d
const LIST_END = 0x5d
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
/** Longer names than any that is asked for are not kept. */
const LONGEST_NAME = 1_000

interface Scan {
  readonly found: JsonMember[]
  /** Of the byte at hand, as is `line`. */
  offset: number
  line: number
  /** Brackets that are open. */
  depth: number
  string: 'none' | 'open' | 'escaped'
  /** Bytes of the name that is being read. */
  name: number[] | undefined
  member: string
  /** Of the element at hand, while the member is a list. */
  index: number | undefined
  /** What comes next in the outermost object. */
  expects: 'name' | 'colon' | 'value' | 'comma'
  /** Of the part at hand. */
  start: { readonly offset: number; readonly line: number } | undefined
  isOver: boolean
  broken: BrokenJson | undefined
}

function startScan(): Scan {
  return {
    found: [],
    offset: -1,
    line: 1,
    depth: 0,
    string: 'none',
    name: undefined,
    member: '',
    index: undefined,
    expects: 'name',
    start: undefined,
    isOver: false,
    broken: undefined,
  }
}

function take(scan: Scan, byte: number): void {
  if (scan.string !== 'none') takeInString(scan, byte)
  else if (byte > BLANK) (scan.depth === 0 ? takeOutside : takeInside)(scan, byte)
  if (byte === NEWLINE) scan.line += 1
}

function takeInString(scan: Scan, byte: number): void {
  const { name } = scan
  if (name && name.length < LONGEST_NAME) name.push(byte)
  if (scan.string === 'escaped') scan.string = 'open'
  else if (byte === BACKSLASH) scan.string = 'escaped'
  else if (byte === QUOTE) {
    scan.string = 'none'
    if (!name) return
    scan.member = textOf(name)
    scan.name = undefined
    scan.expects = 'colon'
  }
}

function takeOutside(scan: Scan, byte: number): void {
  const { offset, line } = scan
  if (scan.isOver) scan.broken = { kind: 'broken', line, why: 'text after the end' }
  else if (byte === OBJECT) scan.depth = 1
  else if (byte !== BYTE_ORDER_MARK[offset]) scan.broken = { kind: 'broken', line, why: 'not an object' }
}

function takeInside(scan: Scan, byte: number): void {
  switch (byte) {
    case COMMA:
      separate(scan)
      return
    case OBJECT_END:
    case LIST_END:
      close(scan)
      return
    case COLON:
      if (scan.depth === 1 && scan.expects === 'colon') scan.expects = 'value'
      return
    default:
      begin(scan, byte)
      if (byte === OBJECT || byte === LIST) scan.depth += 1
      if (byte !== QUOTE) return
      scan.string = 'open'
      if (scan.depth === 1 && scan.expects === 'name') scan.name = [QUOTE]
  }
}

/** The first byte of a member's value, or of an element, is where it starts. */
function begin(scan: Scan, byte: number): void {
  if (scan.start || scan.expects !== 'value') return
  const { depth, offset, line } = scan
  if (depth === 1 && byte === LIST) scan.index = 0
  else scan.start = { offset, line }
}

function separate(scan: Scan): void {
  if (scan.depth === 1) {
    finish(scan)
    scan.expects = 'name'
  } else if (scan.depth === 2 && scan.index !== undefined) {
    finish(scan)
    scan.index += 1
  }
}

function close(scan: Scan): void {
  const isListsEnd = scan.depth === 2 && scan.index !== undefined
  if (scan.depth === 1 || isListsEnd) finish(scan)
  if (isListsEnd) {
    scan.index = undefined
    scan.expects = 'comma'
  }
  scan.depth -= 1
  scan.isOver = scan.depth === 0
}

/** What was begun ends before the byte at hand. */
function finish(scan: Scan): void {
  const { start, member: name, index, offset } = scan
  if (!start) return
  const place = index === undefined ? {} : { index }
  scan.found.push({ kind: 'member', name, ...place, ...start, length: offset - start.offset })
  scan.start = undefined
}

/** A name that is no JSON is one that nobody asks for. */
function textOf(bytes: readonly number[]): string {
  try {
    return String(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    return ''
  }
}
