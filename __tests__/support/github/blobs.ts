import type { Answer } from './route.ts'
import type { Artifact } from './state.ts'
import type { RawRequest } from './transport.ts'

interface BlobContext {
  readonly isSigned: (path: string, permission: 'read' | 'write', signature: string | null) => boolean
  readonly find: (path: string) => Artifact | undefined
}

/** Block blobs as Azure's client talks to them: blocks, their list, and plain reads, each with a signature in the address. */
export function createBlobStore({ isSigned, find }: BlobContext): { answer(request: RawRequest): Answer | undefined } {
  const blocks = new Map<string, Buffer>()

  const write = (artifact: Artifact, { url, body }: RawRequest): Answer => {
    const key = (id: string | null) => `${artifact.id} ${id ?? ''}`
    if (url.searchParams.get('comp') === 'block') {
      blocks.set(key(url.searchParams.get('blockid')), body)
      return created()
    }
    if (url.searchParams.get('comp') !== 'blocklist') {
      artifact.content = body
      return created()
    }
    const ids = [...body.toString().matchAll(/<(?:Latest|Uncommitted)>([^<]+)<\//g)].map(([, id = '']) => id)
    const parts = ids.map((id) => blocks.get(key(id)))
    if (parts.includes(undefined)) return failed(400, 'InvalidBlockList')
    artifact.content = Buffer.concat(parts.filter((part) => part !== undefined))
    return created()
  }

  return {
    answer(request) {
      const { method, url } = request
      if (!url.pathname.startsWith('/blobs/')) return undefined
      const artifact = find(url.pathname)
      if (!isSigned(url.pathname, method === 'PUT' ? 'write' : 'read', url.searchParams.get('sig')))
        return failed(403, 'AuthenticationFailed')
      if (!artifact) return failed(404, 'BlobNotFound')
      if (method === 'PUT') return write(artifact, request)
      return { status: 200, body: artifact.content, headers: { 'content-type': artifact.mimeType } }
    },
  }
}

function created(): Answer {
  const now = new Date().toUTCString()
  return {
    status: 201,
    headers: { etag: '"0x1"', 'last-modified': now, date: now, 'x-ms-request-id': '1', 'x-ms-version': '2025-05-05' },
  }
}

function failed(status: number, code: string): Answer {
  const body = Buffer.from(`<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`)
  return { status, body, headers: { 'content-type': 'application/xml', 'x-ms-error-code': code } }
}
