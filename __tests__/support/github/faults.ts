/** What goes wrong with a request: an answer, silence, a cut connection, or an answer that is cut in its middle. */
export type Failure =
  | { readonly status: number; readonly message?: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang'
  | 'reset'
  | 'cut'

export interface Fault {
  readonly method?: string
  /** Tested against the path without the query. */
  readonly path: RegExp
  /** How many matching requests fail; 1 unless given. */
  readonly times?: number
  readonly failure: Failure
  /** GitHub does what was asked and fails only to say so. */
  readonly carriedOut?: boolean
}

export interface Faults {
  readonly add: (fault: Fault) => void
  /** The fault that this request meets, counted down. */
  next(method: string, path: string): Fault | undefined
}

export function createFaults(): Faults {
  const pending: { fault: Fault; left: number }[] = []
  return {
    add(fault) {
      pending.push({ fault, left: fault.times ?? 1 })
    },
    next(method, path) {
      const found = pending.find(
        ({ fault, left }) => left > 0 && (fault.method ?? method) === method && fault.path.test(path),
      )
      if (found) found.left -= 1
      return found?.fault
    },
  }
}
