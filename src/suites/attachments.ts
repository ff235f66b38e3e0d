import { readFileSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Host } from '../core/host.ts'
import { quote } from '../core/kind.ts'
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

export function openAttachments(host: Pick<Host, 'cwd' | 'env'>): Attachments {
  const workspace = confinement(host)
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
        const confined = workspace && confinedProblem(real, workspace)
        if (confined) return confined
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

/** In CI suites come from pull requests: what they may send to a model ends at the workspace. */
function confinement({ env, cwd }: Pick<Host, 'cwd' | 'env'>): string | undefined {
  const isCi = !['', '0', 'false'].includes((env['CI'] ?? '').toLowerCase())
  if (!isCi) return undefined
  const workspace = resolve(env['GITHUB_WORKSPACE'] || cwd)
  try {
    return realpathSync(workspace)
  } catch {
    return workspace
  }
}

function confinedProblem(real: string, workspace: string): Attachment | undefined {
  const inside = relative(workspace, real)
  if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    return refusal(
      'the file lies outside of the workspace, which is not allowed in CI',
      'keep attachments in the repository',
    )
  }
  // The checkout keeps its token there.
  if (inside.split(sep).includes('.git')) return refusal('files of the .git folder are not allowed in CI')
  return undefined
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
