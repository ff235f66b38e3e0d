import { type ShellCommand, shellCommands } from '../lib/shell.ts'
import { commandOf, type ToolCall } from './tools.ts'

/** A simple command as it takes effect: behind `sudo`, `env` and the like. */
export interface NamedCommand {
  /** Without its folder. */
  readonly name: string
  readonly args: ShellCommand['words']
  readonly redirections: ShellCommand['redirections']
  readonly isPiped: boolean
}

/** Commands that run another one, each with its options that take the next word. */
const WRAPPERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['sudo', new Set(['-u', '-g', '-h', '-p', '-C', '-D', '-R', '-T', '-U', '--user', '--group'])],
  ['doas', new Set(['-u', '-C'])],
  ['env', new Set(['-u', '-C', '--unset', '--chdir'])],
  ['command', new Set()],
  ['builtin', new Set()],
  ['exec', new Set(['-a'])],
  ['nohup', new Set()],
  ['busybox', new Set()],
  ['nice', new Set(['-n', '--adjustment'])],
  ['timeout', new Set(['-k', '-s', '--kill-after', '--signal'])],
  ['stdbuf', new Set(['-i', '-o', '-e', '--input', '--output', '--error'])],
  ['xargs', new Set(['-a', '-d', '-E', '-I', '-L', '-n', '-P', '-s', '--arg-file', '--delimiter', '--max-args'])],
])
const SHELLS = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh'])
const MAX_DEPTH = 3

/** Every simple command of a call; `bash -c "…"` and `eval` are looked into. */
export function commandsOf(call: ToolCall): readonly NamedCommand[] {
  let commands = known.get(call)
  if (!commands) {
    commands = namedCommands(commandOf(call), 0)
    known.set(call, commands)
  }
  return commands
}

/** Several evaluators of a run look at the same commands. */
const known = new WeakMap<ToolCall, readonly NamedCommand[]>()

function namedCommands(script: string, depth: number): NamedCommand[] {
  return shellCommands(script).flatMap((command) => {
    const named = { ...commandNameOf(command), redirections: command.redirections, isPiped: command.isPiped }
    const inner = depth < MAX_DEPTH ? scriptOf(named) : undefined
    return inner === undefined ? [named] : [named, ...namedCommands(inner, depth + 1)]
  })
}

/** Name and arguments of a simple command; the name is empty where only files are redirected. */
export function commandNameOf({ words }: ShellCommand): Pick<NamedCommand, 'name' | 'args'> {
  let start = 0
  for (;;) {
    const wrapper = baseName(words[start]?.text ?? '')
    const withValue = WRAPPERS.get(wrapper)
    if (!withValue || looksUp(wrapper, words[start + 1]?.text ?? '')) break
    start = behindOptions(words, start + 1, withValue) + (wrapper === 'timeout' ? 1 : 0)
  }
  return { name: baseName(words[start]?.text ?? ''), args: words.slice(start + 1) }
}

/** `command -v rm` only asks where it is. */
function looksUp(wrapper: string, option: string): boolean {
  return wrapper === 'command' && /^-p?[vV]/.test(option)
}

function behindOptions(words: ShellCommand['words'], from: number, withValue: ReadonlySet<string>): number {
  let at = from
  while (at < words.length) {
    const text = words[at]?.text ?? ''
    if (text.startsWith('-')) at += withValue.has(text) ? 2 : 1
    else if (/^[A-Za-z_][A-Za-z0-9_]*=/.test(text)) at += 1
    else break
  }
  return at
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf('/') + 1)
}

function scriptOf({ name, args }: NamedCommand): string | undefined {
  if (name === 'eval') return args.map(({ text }) => text).join(' ')
  if (!SHELLS.has(name)) return undefined
  const flag = args.findIndex(({ text }) => /^-[a-z]*c$/.test(text))
  return flag === -1 ? undefined : args[flag + 1]?.text
}

/** Arguments that are no options. */
export function operandsOf({ args }: Pick<NamedCommand, 'args'>): ShellCommand['words'] {
  return args.filter(({ text }) => text !== '-' && !text.startsWith('-'))
}

/** Whether an option is given, long or among short ones: `-rf` has `r` and `f`. */
export function hasOption({ args }: Pick<NamedCommand, 'args'>, short: string, ...long: readonly string[]): boolean {
  return args.some(({ text }) => {
    if (text.startsWith('--')) return long.includes(text.split('=')[0] ?? '')
    return text.startsWith('-') && short !== '' && [...short].some((letter) => text.includes(letter, 1))
  })
}
