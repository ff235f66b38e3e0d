/** Characters that JSON leaves as they are and that yet end a line for some readers, Node's readline among them. */
const LINE_ENDS = /[\u0085\u2028\u2029]/g

/** A value as one line of JSON, newline included. */
export function jsonLine(value: object): string {
  return `${JSON.stringify(value).replace(LINE_ENDS, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}
