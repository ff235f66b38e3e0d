import { readFileSync } from 'node:fs'

/** Part of a JSON schema as GitHub's description writes it (OpenAPI 3.0: `nullable`, `$ref`). */
export interface Schema {
  readonly [keyword: string]: unknown
}

interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
}

export interface Operation {
  readonly method: string
  readonly template: string
  readonly pattern: RegExp
  readonly parameters: readonly Parameter[]
  /** Pointer to the schema of the JSON request body. */
  readonly requestBody: string | undefined
  /** Pointer to the schema of the JSON response body by status; undefined where the response has no JSON body. */
  readonly responses: ReadonlyMap<number, string | undefined>
}

export interface Description {
  readonly document: Schema
  readonly operations: readonly Operation[]
}

/** An operation with the values of the placeholders in its path. */
export interface Match {
  readonly operation: Operation
  readonly parameters: Readonly<Record<string, string>>
}

/** Placeholders whose value may hold slashes. */
const MULTI_SEGMENT = new Set(['ref', 'basehead', 'path', 'commit_sha'])

const FILE = new URL('../../fixtures/github-openapi-subset.json', import.meta.url)

let loaded: Description | undefined

export function loadDescription(): Description {
  loaded ??= readDescription()
  return loaded
}

function readDescription(): Description {
  const document = asSchema(JSON.parse(readFileSync(FILE, 'utf8')))
  const operations = Object.entries(asSchema(document['paths'])).flatMap(([template, methods]) =>
    Object.entries(asSchema(methods)).map(([method, value]) =>
      toOperation(document, template, method, asSchema(value)),
    ),
  )
  // The most literal template wins: /commits/{ref}/status before /commits/{ref}.
  const literal = ({ template }: Operation) => template.replace(/\{\w+\}/g, '').length
  return { document, operations: operations.sort((left, right) => literal(right) - literal(left)) }
}

function toOperation(document: Schema, template: string, method: string, value: Schema): Operation {
  const at = `#/paths/${pointerPart(template)}/${method}`
  const responses = Object.entries(asSchema(value['responses'])).map(
    ([status, response]): [number, string | undefined] => {
      const { target, pointer } = follow(document, asSchema(response), `${at}/responses/${status}`)
      return [Number(status), jsonContent(target, pointer)]
    },
  )
  const parameters = (value['parameters'] as readonly Schema[] | undefined) ?? []
  return {
    method: method.toUpperCase(),
    template,
    pattern: patternOf(template),
    parameters: parameters.map((parameter) => follow(document, parameter, at).target as unknown as Parameter),
    requestBody:
      value['requestBody'] === undefined ? undefined : jsonContent(asSchema(value['requestBody']), `${at}/requestBody`),
    responses: new Map(responses),
  }
}

function jsonContent(holder: Schema, pointer: string): string | undefined {
  const content = holder['content'] as Schema | undefined
  return content?.['application/json'] === undefined ? undefined : `${pointer}/content/application~1json/schema`
}

function patternOf(template: string): RegExp {
  const source = template
    .replace(/[.+*?^$()|[\]\\]/g, '\\$&')
    .replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${MULTI_SEGMENT.has(name) ? '.+' : '[^/]+'})`)
  return new RegExp(`^${source}$`)
}

export function findOperation({ operations }: Description, method: string, path: string): Match | undefined {
  for (const operation of operations) {
    const found = operation.method === method ? operation.pattern.exec(path) : null
    if (!found) continue
    const parameters = Object.entries(found.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)])
    return { operation, parameters: Object.fromEntries(parameters) }
  }
  return undefined
}

function follow(document: Schema, value: Schema, pointer: string): { target: Schema; pointer: string } {
  const reference = value['$ref']
  return typeof reference === 'string'
    ? { target: resolvePointer(document, reference), pointer: reference }
    : { target: value, pointer }
}

export function resolvePointer(document: Schema, pointer: string): Schema {
  const parts = pointer.split('/').slice(1)
  return parts.reduce<Schema>((at, part) => asSchema(at[part.replaceAll('~1', '/').replaceAll('~0', '~')]), document)
}

export function asSchema(value: unknown): Schema {
  if (typeof value !== 'object' || value === null) throw new Error(`not a schema: ${JSON.stringify(value)}`)
  return value as Schema
}

function pointerPart(text: string): string {
  return text.replaceAll('~', '~0').replaceAll('/', '~1')
}
