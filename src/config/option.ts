import type { z } from 'zod'

/** Where an option exists: an action input has the option's long name. */
type Surface = 'both' | 'cli' | 'action'

/** Default as the user would write it; two where command line and action differ. */
export type Default = string | { readonly cli: string; readonly action: string }

export interface OptionDefinition {
  /** `value` takes one, `list` repeats (newline-separated in the action), `flag` takes none (true or false in the action). */
  readonly kind: 'value' | 'list' | 'flag'
  readonly on: Surface
  readonly short?: string
  /** Name of the argument in the help text. */
  readonly argument?: string
  readonly default?: Default
  /** Gets the text as written (an array of them for `list`, a boolean for `flag`). */
  readonly schema: z.ZodType
  readonly help: string
}

/** Keeps the literal type, so that `Settings` knows what each option parses to and whether it has a default. */
export function option<const D extends OptionDefinition>(definition: D): D {
  return definition
}
