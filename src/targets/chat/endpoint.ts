import type { Problem } from '../../core/errors.ts'

export type Checked<T> = { readonly value: T } | { readonly problem: Pick<Problem, 'message' | 'hint'> }

/** A base URL up to and with `/v1`, without the slash at its end. */
export function checkBaseURL(written: string): Checked<string> {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    const hint = /^[\w.-]+(?::\d+)?(?:\/|$)/.test(written) ? `write http://${written} or https://${written}` : undefined
    return refuse(`expected an http or https URL, got ${JSON.stringify(written)}`, hint)
  }
  if (url.username !== '' || url.password !== '')
    return refuse('a URL with user or password in it', 'use "key" or "headers"')
  if (url.search !== '' || url.hash !== '') {
    return refuse('expected a URL without ? and #', 'give the base of the API, up to and with /v1')
  }
  const base = `${url.origin}${url.pathname}`.replace(/\/+$/, '')
  const endpoint = /\/(?:chat\/)?completions$/.exec(base)?.[0]
  if (endpoint !== undefined) {
    return refuse('expected the base of the API, not one of its endpoints', `write ${base.slice(0, -endpoint.length)}`)
  }
  return { value: base }
}

/** A value that can be sent in a header; a line break at the end is what copying a secret leaves behind. */
export function checkHeaderValue(value: string): Checked<string> {
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
    return refuse('holds a character that no header can carry', 'look for line breaks and invisible characters')
  }
  return { value }
}

/** Source: RFC 9110, section 5.6.2, token. */
export function isHeaderName(name: string): boolean {
  return /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)
}

function refuse(message: string, hint?: string): { readonly problem: Pick<Problem, 'message' | 'hint'> } {
  return { problem: { message, ...(hint === undefined ? {} : { hint }) } }
}
