/** What one command came to. */
export interface Answer {
  /** `confused`: it was not understood; `refused`: it could not be done. */
  readonly mood: 'done' | 'refused' | 'confused'
  /** Markdown; nothing in it is anybody's words unescaped. */
  readonly text: string
}

export function done(text: string): Answer {
  return { mood: 'done', text }
}

export function refused(text: string): Answer {
  return { mood: 'refused', text }
}

export function confused(text: string): Answer {
  return { mood: 'confused', text }
}
