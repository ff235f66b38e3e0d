import { createHash } from 'node:crypto'
import { type Dirent, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { quote } from '../../core/kind.ts'
import type { Confinement } from '../confinement.ts'

export interface Fixture {
  readonly ok: true
  /** Absolute, without links. */
  readonly path: string
  readonly hash: string
}

interface Refusal {
  readonly ok: false
  readonly message: string
  readonly hint?: string
}

export type Workspace = Fixture | Refusal

/** Folders that runs get copies of, each looked at once. */
export interface Workspaces {
  /** `written` is relative to `folder`. */
  find(written: string, folder: string): Workspace
}

/** Each run copies it. */
const MOST_FILES = 20_000
const MOST_BYTES = 256 * 1024 * 1024

export function openWorkspaces(confinement: Confinement): Workspaces {
  const known = new Map<string, Workspace>()
  return {
    find(written, folder) {
      const path = resolve(folder, written)
      const found = known.get(path) ?? look(path, { written, folder, confinement })
      known.set(path, found)
      return found
    },
  }
}

interface Looking {
  readonly written: string
  readonly folder: string
  readonly confinement: Confinement
}

function look(path: string, { written, folder, confinement }: Looking): Workspace {
  try {
    const real = realpathSync(path)
    const confined = confinement(real, 'folder')
    if (confined) return { ok: false, ...confined }
    if (!statSync(real).isDirectory()) return { ok: false, message: `${quote(written)} is not a folder` }
    const hash = hashOf(real)
    return typeof hash === 'string' ? { ok: true, path: real, hash } : hash
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      return { ok: false, message: `${quote(written)} cannot be read (${code})` }
    const hint = `the path starts in the folder ${quote(basename(folder))}`
    return { ok: false, message: `folder ${quote(written)} not found`, hint }
  }
}

/** Names and contents: another fixture is another question. */
function hashOf(root: string): string | Refusal {
  const hash = createHash('sha256')
  let files = 0
  let bytes = 0
  for (const { path, entry } of entriesBelow(root)) {
    files += 1
    if (entry.isFile()) bytes += statSync(join(root, path)).size
    if (files > MOST_FILES) return tooLarge(`more than ${MOST_FILES} files`)
    if (bytes > MOST_BYTES) return tooLarge(`more than ${MOST_BYTES / 1024 / 1024} MiB`)
    hash
      .update(`${path}\0`)
      .update(contentOf(entry, join(root, path)))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}

/** Always in the same order; links are not followed. */
function* entriesBelow(root: string): Generator<{ readonly path: string; readonly entry: Dirent }> {
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = readdirSync(join(root, folder), { withFileTypes: true })
    // Git's own files differ from checkout to checkout.
    for (const entry of entries.filter(({ name }) => name !== '.git').sort(byName)) {
      const path = `${folder}${entry.name}`
      if (entry.isDirectory()) waiting.push(`${path}/`)
      yield { path, entry }
    }
  }
}

function byName(left: Dirent, right: Dirent): number {
  return left.name < right.name ? -1 : 1
}

function contentOf(entry: Dirent, path: string): string | Buffer {
  if (entry.isFile()) return readFileSync(path)
  return entry.isSymbolicLink() ? readlinkSync(path) : ''
}

function tooLarge(what: string): Refusal {
  return {
    ok: false,
    message: `the folder holds ${what}, and each run gets a copy of it`,
    hint: 'name a smaller folder',
  }
}
