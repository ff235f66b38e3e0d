/**
 * Parts of a Yao server that scripts reach by a global name and that are not here: each fails by its name at its first
 * use. Source: spec yao 11.6.
 */
export const OUTSIDE_GLOBALS = [
  'All',
  'Any',
  'Eval',
  'FS',
  'Job',
  'MCP',
  'Plan',
  'Query',
  'Race',
  'Schedule',
  'Store',
  'Studio',
  'Use',
  'WebSocket',
  'fetch',
  'http',
] as const

/** Members of `ctx` that are there on every Yao server and not here. */
export const OUTSIDE_MEMBERS = ['search', 'kb', 'db', 'workspace', 'plugin', 'schedule'] as const

/** Members of `ctx` that are there only when package.yao configures a sandbox; otherwise they are undefined in Yao, too. */
export const SANDBOX_MEMBERS = ['sandbox', 'computer'] as const

/** Processes that can be run: the application's scripts, its agents, and finding JSON in a text. */
const RUN_PROCESSES = /^(?:scripts\.|agents\.(?!__yao\.)|agent\.Call$|text\.ExtractJSON$)/i

export function isProcessRun(name: string): boolean {
  return RUN_PROCESSES.test(name)
}

export interface OutsideUse {
  /** As the script writes it, such as `Process("models.user.Find")` or `http`. */
  readonly name: string
  /** 1-based. */
  readonly line: number
}

const GLOBAL_USE = new RegExp(`(?<![\\w$.'"\`])(${OUTSIDE_GLOBALS.join('|')})(?=\\s*[.(])`, 'g')
const MEMBER_USE = new RegExp(`\\bctx\\.(${[...OUTSIDE_MEMBERS, ...SANDBOX_MEMBERS].join('|')})\\b`, 'g')
const PROCESS_USE = /(?<![\w$.])Process\(\s*(['"`])([A-Za-z_][\w.-]*)/g

/**
 * Finds by its text what a script uses of the outside: a list for people before the first run, nothing that decides.
 * Comments are left out; names that are made while the script runs are found when they are used.
 */
export function findOutsideUses(source: string): OutsideUse[] {
  const uses: OutsideUse[] = []
  for (const [index, text] of withoutComments(source).split('\n').entries()) {
    const line = index + 1
    if (text.length > MAX_LINE) continue
    for (const [, name = ''] of text.matchAll(GLOBAL_USE)) if (!isDeclared(name, source)) uses.push({ name, line })
    for (const [, name = ''] of text.matchAll(MEMBER_USE)) uses.push({ name: `ctx.${name}`, line })
    for (const [, , name = ''] of text.matchAll(PROCESS_USE)) {
      if (!isProcessRun(name)) uses.push({ name: `Process("${name}")`, line })
    }
  }
  return uses
}

/** Nobody wrote a longer line by hand. */
const MAX_LINE = 2_000

/** Scripts may have a function of their own by such a name. */
function isDeclared(name: string, source: string): boolean {
  return new RegExp(`\\b(?:function|class|const|let|var)\\s+${name}\\b|import[^;]*\\b${name}\\b[^;]*from`).test(source)
}

/** Comments become blank; lines stay where they are. A `//` after a colon is most likely part of a URL. */
function withoutComments(source: string): string {
  return source
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/(^|[^:'"`])\/\/.*$/gm, '$1')
}
