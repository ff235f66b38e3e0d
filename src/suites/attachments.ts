import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
import type { Suite } from '../core/suite.ts'
import { openConfinement } from './confinement.ts'
import { IMAGE_EXTENSIONS, mimeType } from './mime.ts'

/** Images and files become data URLs, audio bare base64. */
export type AttachmentForm = 'image' | 'file' | 'audio'

type Attachment =
  | { readonly ok: true; readonly data: string }
  | { readonly ok: false; readonly message: string; readonly hint?: string }

/** Reads the files that suites attach, each of them once. */
export interface Attachments {
  /** `path` as written after `file://`; relative paths start at `folder`. */
  load(path: string, options: { readonly folder: string; readonly form: AttachmentForm }): Attachment
}

const MIB = 1024 * 1024
/** What model providers take at most, about; base64 makes a third more of it. */
const FILE_LIMIT = 20 * MIB
/** All of it stays in memory until the end of the run. */
const TOTAL_LIMIT = 512 * MIB

export function openAttachments(
  host: Pick<Host, 'cwd' | 'env'>,
  options: { readonly allowOutside?: boolean } = {},
): Attachments {
  const confinement = openConfinement(host, options)
  const loaded = new Map<string, Attachment>()
  let total = 0
  const read = (path: string, form: AttachmentForm, mime: string): Attachment => {
    const { size } = statSync(path)
    if (size > FILE_LIMIT) return refusal(`larger than ${FILE_LIMIT / MIB} MiB (${(size / MIB).toFixed(1)} MiB)`)
    if (total + size > TOTAL_LIMIT) return refusal(`all attachments together are larger than ${TOTAL_LIMIT / MIB} MiB`)
    total += size
    const base64 = readFileSync(path).toString('base64')
    return { ok: true, data: form === 'audio' ? base64 : `data:${mime};base64,${base64}` }
  }
  return {
    load(written, { folder, form }) {
      if (written === '') return refusal('there is no path after file://')
      const path = resolve(folder, written)
      const mime = mimeType(path)
      try {
        const real = realpathSync(path)
        const confined = confinement(real, 'file')
        if (confined) return { ok: false, ...confined }
        if (!statSync(real).isFile()) return refusal(`${quote(written)} is not a file`)
        if (form === 'image' && !mime.startsWith('image/')) {
          return refusal(`${quote(written)} has no extension of an image`, `known: ${IMAGE_EXTENSIONS.join(', ')}`)
        }
        const key = `${form === 'audio' ? '' : mime} ${real}`
        const known = loaded.get(key) ?? read(real, form, mime)
        loaded.set(key, known)
        return known
      } catch (error) {
        return unreadable(written, error)
      }
    },
  }
}

/** The same files for one suite; says afterwards which of them it attaches. */
export function noteReferences(attachments: Attachments): {
  readonly attachments: Attachments
  references(): Pick<Suite, 'references'>
} {
  const noted = new Set<string>()
  return {
    attachments: {
      load(path, options) {
        noted.add(resolve(options.folder, path))
        return attachments.load(path, options)
      },
    },
    references: () => (noted.size === 0 ? {} : { references: [...noted] }),
  }
}

function unreadable(written: string, error: unknown): Attachment {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  if (code !== 'ENOENT' && code !== 'ENOTDIR') return refusal(`${quote(written)} cannot be read (${code})`)
  const hint = /%[0-9a-f]{2}/i.test(written) ? 'the path is taken as it is written: %20 is not a blank' : undefined
  return refusal(`file ${quote(written)} not found`, hint)
}

function refusal(message: string, hint?: string): Attachment {
  return { ok: false, message, ...(hint === undefined ? {} : { hint }) }
}
