interface Labelled {
  /** Label of a target. */
  readonly target: string
  /** Model that it asks for, where it knows. */
  readonly requestedModel?: string | undefined
}

/**
 * Whether two labels name the same place. The model at the end of a label is no part of that: a change that asks for
 * another model is what is tested, and can be compared.
 */
export function samePlace(one: Labelled, other: Labelled): boolean {
  return one.target === other.target || placeOf(one) === placeOf(other)
}

/** Targets that know their model end their labels in `#model`, or name there what stands for it. */
function placeOf({ target, requestedModel }: Labelled): string {
  return requestedModel === undefined ? target : target.replace(/#[^#]*?(?= \(recorded\)$|$)/, '')
}
