/**
 * Files that say something about a repository to people, and to no agent. A folder `docs` is not among them: it may be
 * what an agent answers from.
 */
export function isDocumentation(file: string): boolean {
  return ABOUT.test(file) || META.test(file)
}

const ABOUT =
  /^(?:authors|changelog|changes|citation|code_of_conduct|codeowners|contributing|contributors|copying|governance|history|licen[cs]e|maintainers|notice|readme|releases|roadmap|security|support|upgrading)(?:[.-][\w.-]*)?\.?(?:md|markdown|rst|txt|adoc|cff)?$/i

const META =
  /^\.github\/(?:(?:discussion_template|issue_template|pull_request_template)(?:\/|\.)|codeowners$|dependabot\.ya?ml$|funding\.yml$|release\.ya?ml$|[^/]+\.md$)/i

/** Whatever decides how everything is run. */
export function isGlobal(file: string): boolean {
  return file.startsWith('.github/') || file === '.gitattributes' || file === '.gitmodules'
}
