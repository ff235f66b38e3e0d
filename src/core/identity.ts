import type { Json, JsonObject } from './json.ts'

/** Who the agent is told is asking. Source: spec yao 2.4. */
export interface Identity {
  readonly user: string
  readonly team: string
  readonly locale: string
  readonly referer: string
  readonly accept: string
  readonly client: { readonly type: string; readonly user_agent: string; readonly ip: string }
  /** Handed to hooks and prompts: `sub`, `user_id`, `team_id`, `tenant_id` and what the ctx file adds. */
  readonly authorized: JsonObject
  /** From the ctx file; a fresh one is made for each run otherwise. */
  readonly chatId?: string
  /** `ctx.metadata`: the case's `metadata`, over it its `options.metadata`, over both the ctx file's. */
  readonly metadata: JsonObject
}

/** The parsed `--ctx` file. */
export interface ContextFile {
  readonly chat_id?: string | undefined
  readonly authorized?: JsonObject | undefined
  readonly metadata?: JsonObject | undefined
  readonly client?:
    | { readonly type?: string | undefined; readonly user_agent?: string | undefined; readonly ip?: string | undefined }
    | undefined
  readonly locale?: string | undefined
  readonly referer?: string | undefined
}

interface IdentitySources {
  /** `-u` and `-t`, only when given. */
  readonly flags: { readonly user?: string | undefined; readonly team?: string | undefined }
  readonly context?: ContextFile | undefined
  readonly case?: {
    readonly user?: string
    readonly team?: string
    readonly metadata?: JsonObject
    readonly options?: { readonly metadata?: JsonObject }
  }
}

/** Flags given > ctx file > case > defaults, field by field. */
export function resolveIdentity({ flags, context = {}, case: record = {} }: IdentitySources): Identity {
  const authorized = context.authorized ?? {}
  const user = flags.user ?? text(authorized['user_id']) ?? record.user ?? 'test-user'
  const team = flags.team ?? text(authorized['team_id']) ?? record.team ?? 'test-team'
  return {
    user,
    team,
    locale: context.locale ?? 'en-us',
    referer: context.referer ?? 'test',
    accept: 'standard',
    client: {
      type: context.client?.type ?? 'test',
      user_agent: context.client?.user_agent ?? 'yao-agent-test/1.0',
      ip: context.client?.ip ?? '127.0.0.1',
    },
    authorized: {
      ...authorized,
      sub: flags.user ?? text(authorized['sub']) ?? user,
      user_id: user,
      team_id: team,
      tenant_id: flags.team ?? text(authorized['tenant_id']) ?? team,
    },
    ...(context.chat_id === undefined ? {} : { chatId: context.chat_id }),
    metadata: { ...record.metadata, ...record.options?.metadata, ...context.metadata },
  }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
