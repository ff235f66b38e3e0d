import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { isNode, isScalar, isSeq } from 'yaml'
import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import { isJsonObject } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import { ROLES, type Role } from '../../core/message.ts'
import { isInside, shownPath } from './locate.ts'
import { firstLine, parseYaml, readText, type SourceFile } from './read-files.ts'

/** One message that comes before the conversation, variables not yet replaced. */
export interface Prompt {
  readonly role: Role
  readonly content: string
  readonly name?: string
  readonly file: string
  readonly line: number
}

interface PromptScope {
  /** Folder whose `assets` the prompts may name. */
  readonly folder: string
  /** Assets must lie in here or in `folder`, links followed: an assistant may itself be a link. */
  readonly root: string
  readonly host: Host
  readonly problems: Problem[]
}

/** The prompts of a file; none when there is no such file. */
export function loadPrompts(path: string, scope: PromptScope): Prompt[] {
  if (!existsSync(path)) return []
  const source = { path, shown: shownPath(path, scope.host) }
  const written = readText(source, scope.problems)
  if (written === undefined) return []
  const { text, originalOffset } = expandAssets(written, source, scope)
  const { document } = parseYaml(text)
  const lineOf = (offset: number) => written.slice(0, originalOffset(offset)).split('\n').length
  const report = (offset: number, problem: Pick<Problem, 'message' | 'field' | 'hint'>) =>
    void scope.problems.push({ file: source.shown, line: lineOf(offset), ...problem })
  for (const { message, pos } of document.errors) report(pos[0], { message: `not YAML: ${firstLine(message)}` })
  if (document.errors.length > 0 || document.contents === null) return []
  if (isScalar(document.contents) && document.contents.value === null) return []
  if (!isSeq(document.contents)) {
    report(0, { message: 'expected a list of prompts, each with role and content' })
    return []
  }
  const values = document.toJS() as readonly unknown[]
  return document.contents.items.flatMap((item, index) => {
    const offset = isNode(item) ? item.range[0] : 0
    const parsed = promptOf(values[index])
    if ('role' in parsed) return [{ ...parsed, file: source.shown, line: lineOf(offset) }]
    report(offset, { field: `[${index}]`, ...parsed })
    return []
  })
}

function promptOf(item: unknown): Pick<Prompt, 'role' | 'content' | 'name'> | Pick<Problem, 'message' | 'hint'> {
  if (!isJsonObject(item)) return { message: 'expected role and content' }
  const { role, content = '', name } = item
  const known = ROLES.find((one) => one === role)
  if (known === undefined) {
    const hint = typeof role === 'string' ? didYouMean(role, ROLES) : undefined
    const message = role === undefined ? 'a prompt without a role' : `unknown role ${JSON.stringify(role)}`
    return { message, hint: hint ?? `roles: ${ROLES.join(', ')}` }
  }
  // A prompt may say nothing, but hardly by a slip.
  const misspelt = Object.hasOwn(item, 'content') ? undefined : Object.keys(item).find(isLikeContent)
  if (misspelt !== undefined) {
    return { message: `a prompt without content, but with ${quote(misspelt)}`, hint: 'did you mean "content"?' }
  }
  if (typeof content === 'object' && content !== null) return { message: 'expected the content as text' }
  return {
    role: known,
    content: typeof content === 'string' ? content : String(content ?? ''),
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
  }
}

function isLikeContent(key: string): boolean {
  return didYouMean(key, ['content']) !== undefined
}

/** Every preset below `prompts/`, by its path with dots: `chat/friendly.yml` is `chat.friendly`. */
export function loadPresets(scope: PromptScope): Map<string, Prompt[]> {
  const folder = join(scope.folder, 'prompts')
  if (!existsSync(folder)) return new Map()
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ya?ml$/.test(path))
    .sort()
  return new Map(
    files.map((path) => [
      path
        .replace(/\.ya?ml$/, '')
        .split(sep)
        .join('.'),
      loadPrompts(join(folder, path), scope),
    ]),
  )
}

const ASSET = /@assets\/(\S+\.(?:md|yml|yaml|json|txt))/g

/**
 * Replaces `@assets/FILE` by the file's text as a YAML block. Done before parsing, as Yao does: `@` cannot start a
 * YAML value. A missing file is empty in Yao, so it is here, with a warning.
 */
function expandAssets(written: string, { shown }: SourceFile, { folder, root, host, problems }: PromptScope) {
  const shifts: { readonly end: number; readonly by: number }[] = []
  let shift = 0
  const text = written.replace(ASSET, (reference: string, name: string, offset: number) => {
    const path = join(folder, 'assets', name)
    const line = written.slice(0, offset).split('\n').length
    let block = ''
    if (!existsSync(path)) {
      host.log.warn(`${shown}:${line}: ${reference} does not exist; its place stays empty, as in Yao`)
    } else if (!isInside(path, root) && !isInside(path, folder)) {
      problems.push({ file: shown, line, message: `${reference} lies outside of the application` })
    } else {
      block = `|\n${readFileSync(path, 'utf8')
        .split('\n')
        .map((each) => `    ${each}\n`)
        .join('')}`
    }
    shift += block.length - reference.length
    shifts.push({ end: offset + reference.length + shift, by: shift })
    return block
  })
  const originalOffset = (offset: number) => offset - (shifts.findLast(({ end }) => end <= offset)?.by ?? 0)
  return { text, originalOffset }
}
