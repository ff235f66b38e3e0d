const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/

/** A whole commit id. */
export function isSha(text: string): boolean {
  return SHA.test(text)
}

/** What people know a commit by. */
export function shortSha(sha: string): string {
  return sha.slice(0, 7)
}

const LONGEST_NAME = 250
/** Anything of it would be an option, a second ref, or a search through all of history. */
const REFUSED = /^-|[\s:?*[\\]|\p{Cc}|\.\.|@\{|\/\/|\.lock(?:\/|$)|\.$/u

/** A name of a commit that git may be asked about: a sha, a branch, a tag, `HEAD~2`. */
export function isSafeName(text: string): boolean {
  return text !== '' && text.length <= LONGEST_NAME && !REFUSED.test(text)
}

/** The name of a branch as git itself allows it. Source: git check-ref-format. */
export function isBranchName(text: string): boolean {
  return isSafeName(text) && !/[~^]|^@$|^\/|\/$|(?:^|\/)\./.test(text)
}
