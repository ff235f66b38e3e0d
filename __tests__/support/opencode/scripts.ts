import type { Answer, ChatBody, ModelRequest, TextAnswer } from '../scripted-answers.ts'

type Step = Answer | ((request: ModelRequest) => Answer)

/** What a model says step by step, by the script that the prompt names: `SCRIPT:bash`. */
export type Scripts = Readonly<Record<string, readonly Step[]>>

let calls = 0

/** A step that calls tools, each with its parameters. */
function calling(...tools: readonly (readonly [name: string, parameters: object])[]): () => TextAnswer {
  return () => ({
    text: 'Working.',
    toolCalls: tools.map(([name, parameters]) => {
      calls += 1
      return { id: `call_${calls}`, name, arguments: JSON.stringify(parameters) }
    }),
  })
}

function status(code: number, message: string, headers: Record<string, string> = {}): Answer {
  return { fault: { kind: 'status', status: code, message, headers } }
}

const bash = (command: string) => calling(['bash', { command, description: 'Runs a command' }])
const path =
  (name: string) =>
  ({ request }: { readonly request: ModelRequest }) =>
    `${folderOf(request.body)}/${name}`

/** The folder that the system prompt names. */
function folderOf(body: ChatBody): string {
  const text = JSON.stringify(body.messages?.[0]?.content ?? '')
  return /Working directory: ([^\\\s"<]+)/.exec(text)?.[1] ?? '.'
}

/** As `calling`, with paths below the session's folder. */
function callingIn(make: (at: (name: string) => string) => readonly (readonly [string, object])[]) {
  return (request: ModelRequest) => calling(...make((name) => path(name)({ request })))()
}

export const SCRIPTS: Scripts = {
  text: ['Hello there.'],
  read: [callingIn((at) => [['read', { filePath: at('notes.txt') }]]), 'It says alpha.'],
  grep: [calling(['grep', { pattern: 'alpha' }]), 'Found.'],
  bash: [bash('echo hi && ls'), 'Done.'],
  three: [bash('echo one'), bash('echo two'), bash('echo three'), 'Three done.'],
  both: [
    calling(
      ['bash', { command: 'echo safe', description: 'a' }],
      ['bash', { command: 'rm -rf nothing', description: 'b' }],
    ),
    'Both.',
  ],
  exit: [bash('exit 3'), 'It failed.'],
  leave: [bash('setsid sleep 300 >/dev/null 2>&1 </dev/null & echo started'), 'Left one.'],
  long: [bash('sleep 300'), 'Never.'],
  write: [
    callingIn((at) => [['write', { filePath: at('out.txt'), content: 'one\n' }]]),
    callingIn((at) => [['edit', { filePath: at('out.txt'), oldString: 'one', newString: 'two' }]]),
    'Written.',
  ],
  link: [bash('ln -s /etc/hostname out.txt'), 'Linked.'],
  task: [
    calling(['task', { description: 'run it', prompt: 'SCRIPT:childbash run it', subagent_type: 'helper' }]),
    'The subagent reported.',
  ],
  childbash: [bash('echo child'), 'Child done.'],
  loop: [...Array.from({ length: 6 }, () => bash('echo again')), 'done'],
  doom: [calling(...Array.from({ length: 4 }, () => ['read', { filePath: 'notes.txt' }] as const)), 'Stopped.'],
  question: [
    calling([
      'question',
      {
        questions: [
          {
            question: 'Proceed?',
            header: 'Go',
            options: [
              { label: 'Yes', description: 'go' },
              { label: 'No', description: 'stop' },
            ],
          },
        ],
      },
    ]),
    'Thanks.',
  ],
  ask: ['I will delete the file. Should I proceed?'],
  tell: ['Nothing to do.'],
  refused: [status(400, 'bad request')],
  key: [status(401, 'Invalid API key')],
  broken: [
    status(500, 'boom'),
    status(500, 'boom'),
    status(500, 'boom'),
    status(500, 'boom'),
    status(500, 'boom'),
    status(500, 'boom'),
  ],
  limited: [status(429, 'Rate limit reached', { 'retry-after': '1' })],
  hang: [{ fault: { kind: 'hang-headers' } }],
  env: [bash('env; git log --oneline'), 'Env.'],
}

/** Answers by script: the step is the number of answers since the last prompt that names one, so runs may be parallel. */
export function answerBy(scripts: Scripts): (request: ModelRequest) => Answer {
  return (request) => {
    const messages = request.body.messages ?? []
    const at = messages.findLastIndex((message) => message.role === 'user' && scriptOf(message) !== undefined)
    const name = messages[at] === undefined ? undefined : scriptOf(messages[at])
    const steps = scripts[name ?? ''] ?? []
    const step = steps[messages.slice(at + 1).filter(({ role }) => role === 'assistant').length] ?? steps.at(-1)
    if (step === undefined) return `no script ${name}`
    return typeof step === 'function' ? step(request) : step
  }
}

function scriptOf(message: { readonly content?: unknown }): string | undefined {
  return /SCRIPT:(\w+)/.exec(JSON.stringify(message.content ?? ''))?.[1]
}
