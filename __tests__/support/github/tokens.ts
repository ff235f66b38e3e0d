import { randomBytes } from 'node:crypto'
import { ApiError, type Need } from './route.ts'
import { ACTIONS_BOT, type Actor } from './state.ts'

type Access = 'read' | 'write' | 'none'

/** By the names of a workflow's `permissions` block, such as `pull-requests`. */
export type Permissions = Readonly<Record<string, Access>>

export interface Token {
  readonly value: string
  /** `installation` is a workflow's GITHUB_TOKEN, `personal` a user's own. */
  readonly kind: 'installation' | 'personal'
  readonly actor: Actor
  readonly permissions: Permissions
}

export interface TokenStore {
  readonly issue: (permissions: Permissions, actor?: Actor) => string
  /** Throws 401 unless the header carries an issued token. */
  authenticate(header: string | undefined): Token
}

export function createTokens(): TokenStore {
  const tokens = new Map<string, Token>()
  return {
    issue(permissions, actor = ACTIONS_BOT) {
      const kind = actor.type === 'Bot' ? 'installation' : 'personal'
      const value = `${kind === 'installation' ? 'ghs' : 'ghp'}_${randomBytes(18).toString('hex')}`
      tokens.set(value, { value, kind, actor, permissions })
      return value
    },
    authenticate(header) {
      if (header === undefined) throw new ApiError(401, 'Requires authentication')
      const token = tokens.get(header.replace(/^(token|bearer)\s+/i, ''))
      if (!token) throw new ApiError(401, 'Bad credentials')
      return token
    },
  }
}

/** Whoever holds any token may read a public repository. */
export function authorize(token: Token, needs: readonly Need[], { isPublic }: { isPublic: boolean }): void {
  if (needs.length === 0) return
  const held = needs.some((need) => {
    const [name = '', wanted] = need.split(':')
    // Every token may read a repository's metadata.
    const access = token.permissions[name] ?? (name === 'metadata' ? 'read' : 'none')
    return access === 'write' || (wanted === 'read' && (access === 'read' || isPublic))
  })
  if (!held) throw new ApiError(403, 'Resource not accessible by integration')
}
