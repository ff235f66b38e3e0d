import type { Artifact, State } from './state.ts'
import type { Token } from './tokens.ts'
import type { Views } from './views.ts'

/** One authenticated request. */
export interface Call {
  readonly state: State
  readonly views: Views
  readonly token: Token
  /** Values of the placeholders in the path. */
  readonly parameters: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The parsed JSON body; empty when there was none. */
  readonly body: Readonly<Record<string, unknown>>
  /** The request's own address, for Link headers. */
  readonly url: string
  /** Signed address of an artifact's bytes. */
  signedUrl(artifact: Artifact): string
}

export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A permission as the token must hold it; one of several is enough. */
export type Need = `${string}:${'read' | 'write'}`

export interface Route {
  /** Method and path template of the description. */
  readonly on: string
  readonly needs: readonly Need[]
  handle(call: Call): Answer
}

/** An answer that says no. */
export class ApiError extends Error {
  readonly answer: Answer

  constructor(
    status: number,
    message: string,
    { errors, headers = {} }: { errors?: readonly object[]; headers?: Record<string, string> } = {},
  ) {
    super(message)
    const body = {
      message,
      ...(errors ? { errors } : {}),
      documentation_url: 'https://docs.github.com/rest',
      status: `${status}`,
    }
    this.answer = { status, body, headers }
  }
}

export function notFound(): ApiError {
  return new ApiError(404, 'Not Found')
}

const LARGEST_PAGE = 100

/** The asked-for page and its Link header; page sizes above 100 are cut, as GitHub does. */
export function pageOf<T>({ query, url }: Call, items: readonly T[]): { items: T[]; headers: Record<string, string> } {
  const size = Math.min(Number(query.get('per_page') ?? 30), LARGEST_PAGE)
  const page = Math.max(Number(query.get('page') ?? 1), 1)
  const last = Math.max(Math.ceil(items.length / size), 1)
  const link = (relation: string, number: number) => {
    const address = new URL(url)
    address.searchParams.set('page', `${number}`)
    return `<${address.href}>; rel="${relation}"`
  }
  const links = [
    ...(page > 1 ? [link('prev', page - 1), link('first', 1)] : []),
    ...(page < last ? [link('next', page + 1), link('last', last)] : []),
  ]
  return {
    items: items.slice((page - 1) * size, page * size),
    headers: links.length > 0 ? { link: links.join(', ') } : {},
  }
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw notFound()
  return value
}
