const KEPT = /[\p{L}\p{N}]/u

/** A text without the signs around it that are neither letters nor digits; `alsoKept` may stand at its end. */
export function trimEdges(text: string, alsoKept = ''): string {
  let start = 0
  let end = text.length
  while (start < end && !KEPT.test(text.charAt(start)) && !isHalf(text.charCodeAt(start))) start += 1
  while (end > start && !isKeptEnd(text, end - 1, alsoKept)) end -= 1
  return text.slice(start, end)
}

function isKeptEnd(text: string, at: number, alsoKept: string): boolean {
  const sign = text.charAt(at)
  return KEPT.test(sign) || isHalf(text.charCodeAt(at)) || (alsoKept !== '' && alsoKept.includes(sign))
}

/** Of a letter beyond the first plane, which `charAt` sees in halves. */
function isHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff
}
