import { basename, dirname, resolve } from 'node:path'
import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { didYouMean, quote } from '../core/kind.ts'
import type { ContentPart, FileReference } from '../core/message.ts'
import { type FieldTable, type FieldValues, readFields, shown } from '../core/reading/fields.ts'
import type { Notes } from '../core/reading/findings.ts'
import type { AttachmentForm } from './attachments.ts'
import type { SuiteSource } from './suite-format.ts'

export interface InputReader {
  readonly notes: Notes
  readonly source: Pick<SuiteSource, 'path' | 'attachments'>
}

/** One content part in its normal form; an empty list when it has problems. Source: spec yao 3.2. */
export function readPart(part: JsonObject, at: string, { notes, source }: InputReader): ContentPart[] {
  const type = part['type']
  const read = typeof type === 'string' && Object.hasOwn(PARTS, type) ? PARTS[type] : undefined
  if (!read) {
    const hint = typeof type === 'string' ? didYouMean(type, Object.keys(PARTS)) : undefined
    const known = `known types: ${Object.keys(PARTS).join(', ')}`
    const message =
      typeof type === 'string'
        ? `unknown content part type ${quote(type)}`
        : `expected the type of the part, got ${shown(type)}`
    notes.problem(`${at}.type`, message, hint ?? known)
    return []
  }
  const load = (path: string, form: AttachmentForm): string | undefined => {
    const loaded = source.attachments.load(path, { folder: dirname(source.path), form })
    if (loaded.ok) return loaded.data
    notes.problem(`${at}.source`, loaded.message, loaded.hint)
    return undefined
  }
  const result = read(part, { at, notes, load })
  return result ? [result] : []
}

interface PartPlace {
  readonly at: string
  readonly notes: Notes
  /** Content of a file named without its `file://`; undefined after noting why not. */
  load(path: string, form: AttachmentForm): string | undefined
}

type PartReader = (part: JsonObject, place: PartPlace) => ContentPart | undefined

const PARTS: Readonly<Record<string, PartReader>> = {
  text: readText,
  image: readImage,
  image_url: readImageUrl,
  audio: readAudio,
  input_audio: readAudio,
  file: readFile,
  data: readData,
}

function readText(part: JsonObject, place: PartPlace): ContentPart {
  const { text } = fieldsOf(part, { type: 'string', text: 'string' }, place)
  if (text === undefined) place.notes.warning(`${place.at}.text`, 'missing: the agent gets an empty text')
  return { type: 'text', text: text ?? '' }
}

function readImage(part: JsonObject, place: PartPlace): ContentPart | undefined {
  const fields = fieldsOf(part, { type: 'string', source: 'string', url: 'string', detail: 'string' }, place)
  const path = filePath(fields.source)
  const url = path === undefined ? remoteUrl(fields.url, fields.source, place) : place.load(path, 'image')
  return url === undefined ? undefined : { type: 'image_url', image_url: { url, detail: fields.detail || 'auto' } }
}

function readImageUrl(part: JsonObject, place: PartPlace): ContentPart | undefined {
  const { image_url: image } = fieldsOf(part, { type: 'string', image_url: { url: 'string', detail: 'string' } }, place)
  if (image === undefined) return required(part, 'image_url', place)
  const url = checkedUrl(image.url, `${place.at}.image_url.url`, place)
  return url === undefined ? undefined : { type: 'image_url', image_url: { url, detail: image.detail || 'auto' } }
}

const AUDIO = { data: 'string', format: 'string' } as const

function readAudio(part: JsonObject, place: PartPlace): ContentPart | undefined {
  const fields = fieldsOf(part, { type: 'string', source: 'string', ...AUDIO, input_audio: AUDIO }, place)
  const path = filePath(fields.source)
  if (path !== undefined) {
    const data = place.load(path, 'audio')
    const format = fields.format || /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase()
    if (format === undefined)
      place.notes.problem(`${place.at}.format`, 'required: the file has no extension to tell it')
    return data === undefined || format === undefined
      ? undefined
      : { type: 'input_audio', input_audio: { data, format } }
  }
  const inner = fields.data === undefined ? fields.input_audio : fields
  const at = inner === fields ? place.at : `${place.at}.input_audio`
  if (inner === undefined) return missingSource('"data" with "format"', fields.source, place)
  const { data, format } = inner
  if (!data) place.notes.problem(`${at}.data`, 'required: the audio as base64')
  else if (data.startsWith('data:'))
    place.notes.problem(`${at}.data`, 'expected bare base64, got a data URL', 'leave out everything up to the comma')
  if (!format) place.notes.problem(`${at}.format`, 'required', 'such as "wav" or "mp3"')
  return data && format ? { type: 'input_audio', input_audio: { data, format } } : undefined
}

const FILE = { url: 'string', filename: 'string', file_id: 'string', file_data: 'string' } as const

function readFile(part: JsonObject, place: PartPlace): ContentPart | undefined {
  const fields = fieldsOf(
    part,
    { type: 'string', source: 'string', url: 'string', filename: 'string', name: 'string', file: FILE },
    place,
  )
  const filename = fields.filename || fields.name
  const path = filePath(fields.source)
  if (path !== undefined) {
    const url = place.load(path, 'file')
    return url === undefined
      ? undefined
      : { type: 'file', file: { url, filename: filename || basename(resolve('/', path)) } }
  }
  if (fields.url === undefined && fields.file !== undefined) return readFileReference(fields.file, place)
  const url = remoteUrl(fields.url, fields.source, place)
  return url === undefined ? undefined : { type: 'file', file: { url, ...(filename ? { filename } : {}) } }
}

/** OpenAI's own form: `file_data` is a data URL, `file_id` names an uploaded file. */
function readFileReference(file: FieldValues<typeof FILE>, place: PartPlace): ContentPart | undefined {
  const name = file.filename ? { filename: file.filename } : {}
  if (file.file_id) return { type: 'file', file: { url: '', ...name, file_id: file.file_id } satisfies FileReference }
  const url = checkedUrl(file.url ?? file.file_data, `${place.at}.file.url`, place)
  return url === undefined ? undefined : { type: 'file', file: { url, ...name } }
}

function readData(part: JsonObject, place: PartPlace): ContentPart | undefined {
  const { data } = fieldsOf(part, { type: 'string', data: { sources: 'list' } }, place)
  if (data === undefined) return required(part, 'data', place)
  const sources = data.sources?.flatMap((item: Json, index) => {
    if (isJsonObject(item)) return [item]
    place.notes.problem(`${place.at}.data.sources[${index}]`, `expected an object, got ${shown(item)}`)
    return []
  })
  return { type: 'data', data: { sources: sources ?? null } }
}

function fieldsOf<const T extends FieldTable>(part: JsonObject, table: T, { at, notes }: PartPlace): FieldValues<T> {
  return readFields(part, table, { notes, at, unknown: 'warning' })
}

const FILE_PROTOCOL = 'file://'

/** The rest is a plain path: nothing is decoded. */
function filePath(source: string | undefined): string | undefined {
  return source?.startsWith(FILE_PROTOCOL) ? source.slice(FILE_PROTOCOL.length) : undefined
}

function remoteUrl(url: string | undefined, source: string | undefined, place: PartPlace): string | undefined {
  return url === undefined ? missingSource('"url"', source, place) : checkedUrl(url, `${place.at}.url`, place)
}

function checkedUrl(url: string | undefined, at: string, { notes }: PartPlace): string | undefined {
  if (!url) notes.problem(at, 'required: where the content is')
  else if (url.startsWith(FILE_PROTOCOL))
    notes.problem(at, 'files are not read from here', 'write "source": "file://…" beside "type"')
  else return url
  return undefined
}

function missingSource(alternative: string, source: string | undefined, { at, notes }: PartPlace): undefined {
  if (source === undefined) notes.problem(at, `expected "source": "file://…" or ${alternative}`)
  else
    notes.problem(
      `${at}.source`,
      `expected file:// and a path, got ${shown(source)}`,
      `use ${alternative} for what is not a file`,
    )
}

/** An object that is absent; a wrong type was noted when the fields were read. */
function required(part: JsonObject, field: string, { at, notes }: PartPlace): undefined {
  if ((part[field] ?? null) === null) notes.problem(`${at}.${field}`, 'expected an object, got nothing')
}
