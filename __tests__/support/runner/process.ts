import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'

interface ProcessOptions {
  readonly program: string
  readonly words: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Gets each line of both streams. */
  readonly onLine: (line: string) => void
  /** Cancels the step. */
  readonly signal: AbortSignal
}

/** Waits of the runner between SIGINT, SIGTERM and the kill. */
const AFTER_INTERRUPT_MS = 7500
const AFTER_TERMINATE_MS = 2500

/** Runs one program as the runner does: no input, both streams read line by line, polite before it kills. */
export async function runProcess({ program, words, cwd, env, onLine, signal }: ProcessOptions): Promise<number> {
  const child = spawn(program, words, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const timers: NodeJS.Timeout[] = []
  const cancel = () => {
    child.kill('SIGINT')
    timers.push(setTimeout(() => child.kill('SIGTERM'), AFTER_INTERRUPT_MS))
    timers.push(setTimeout(() => child.kill('SIGKILL'), AFTER_INTERRUPT_MS + AFTER_TERMINATE_MS))
  }
  signal.addEventListener('abort', cancel, { once: true })
  readLines(child.stdout, onLine)
  readLines(child.stderr, onLine)
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve(code ?? 128))
    })
  } finally {
    signal.removeEventListener('abort', cancel)
    for (const timer of timers) clearTimeout(timer)
  }
}

/** Lines end with \n, \r or \r\n and with nothing else, as the runner reads them. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  stream.on('data', (chunk: Buffer) => {
    // A \r at the end may be half of a \r\n.
    const parts = (rest + decoder.write(chunk)).split(/\r\n|\n|\r(?!$)/)
    rest = parts.pop() ?? ''
    for (const line of parts) onLine(line)
  })
  stream.on('end', () => {
    rest += decoder.end()
    if (rest !== '') onLine(rest.replace(/\r$/, ''))
  })
}
