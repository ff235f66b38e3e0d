import { type ContextFile, type Identity, resolveIdentity } from '../core/identity.ts'
import type { Case } from '../core/suite.ts'
import { plural } from './words.ts'

export interface Environment {
  /** `-u` and `-t`, only when given. */
  readonly flags: { readonly user?: string | undefined; readonly team?: string | undefined }
  readonly context?: ContextFile
}

const FROM_FILE = ' (ctx file)'

/** Who the agent is told is asking and where that comes from: flags given > ctx file > case > defaults. */
export function environmentText({ flags, context }: Environment, cases: readonly Case[]): string {
  const known = resolveIdentity({ flags, context })
  const sourceOf = (name: 'user' | 'team'): string => {
    if (flags[name] !== undefined) return ' (given)'
    if (isSet(context, name)) return FROM_FILE
    const own = cases.filter((item) => item[name] !== undefined && item.skip === undefined).length
    return own === 0 ? '' : ` (${plural(own, 'case')} with another)`
  }
  return [
    `user ${known.user}${sourceOf('user')}`,
    `team ${known.team}${sourceOf('team')}`,
    `locale ${known.locale}${context?.locale === undefined ? '' : FROM_FILE}`,
    ...clientOf(known, context),
  ].join(', ')
}

/** A ctx file outranks the cases with whatever it says, also where that is the default. */
function isSet(context: ContextFile | undefined, name: 'user' | 'team'): boolean {
  const other = resolveIdentity({ flags: {}, context, case: { [name]: '' } })
  return other[name] !== ''
}

function clientOf({ client }: Identity, context: ContextFile | undefined): string[] {
  return context?.client === undefined ? [] : [`client ${client.type} at ${client.ip}${FROM_FILE}`]
}
