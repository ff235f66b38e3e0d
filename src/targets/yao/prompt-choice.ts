import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { JsonObject } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import type { CaseOptions } from '../../core/suite.ts'
import { type Assistant, hasTools } from './assistant.ts'
import type { Prompt } from './prompts.ts'
import { envNames } from './variables.ts'

/** Variables that prompts may send to the model in CI, separated by commas. */
const ALLOWED = 'AGENT_TEST_ENV_ALLOW'

/** What in a case decides which prompts it gets. */
export interface PromptChoice {
  readonly options: CaseOptions
  /** `ctx.metadata`. */
  readonly metadata: JsonObject
}

/** Global prompts, unless disabled, then the chosen preset or the default prompts. Source: spec yao 11.3. */
export function choosePrompts(assistant: Assistant, choice: PromptChoice): readonly Prompt[] {
  const own = ownPrompts(assistant, choice.metadata) ?? []
  return areGlobalsDisabled(assistant, choice) ? own : [...assistant.globalPrompts, ...own]
}

/** undefined: an unknown preset. */
function ownPrompts({ presets, prompts }: Assistant, metadata: JsonObject): readonly Prompt[] | undefined {
  const preset = metadata['__prompt_preset'] ?? ''
  return preset === '' ? prompts : typeof preset === 'string' ? presets.get(preset) : undefined
}

/** The case's option, then `ctx.metadata`, then package.yao. */
function areGlobalsDisabled({ package: settings }: Assistant, { options, metadata }: PromptChoice): boolean {
  const fromContext = metadata['__disable_global_prompts']
  if (options.disable_global_prompts !== undefined) return options.disable_global_prompts
  return typeof fromContext === 'boolean' ? fromContext : (settings.disable_global_prompts ?? false)
}

/** Finds what a choice of prompts would do wrong; asked once per case, answered once per choice. */
export function promptChecker(assistant: Assistant, host: Host): (choice: PromptChoice) => readonly Problem[] {
  const known = new Map<string, readonly Problem[]>()
  return (choice) => {
    const key = JSON.stringify([choice.metadata['__prompt_preset'] ?? '', areGlobalsDisabled(assistant, choice)])
    const found = known.get(key) ?? problemsOf(assistant, choice, host)
    known.set(key, found)
    return found
  }
}

function problemsOf(assistant: Assistant, choice: PromptChoice, host: Host): Problem[] {
  const own = ownPrompts(assistant, choice.metadata)
  const preset = choice.metadata['__prompt_preset']
  if (own === undefined || (own.length === 0 && preset !== undefined && preset !== '')) {
    return [unknownPreset(assistant, typeof preset === 'string' ? preset : JSON.stringify(preset), own)]
  }
  if (own.length === 0 && !hasTools(assistant)) {
    return [
      {
        ...assistant.place,
        message: 'the assistant has no prompts, so its answer would come from its hooks alone, which are not run',
        hint: 'add a prompts.yml, or test it through a Yao server',
      },
    ]
  }
  return envProblems(choosePrompts(assistant, choice), host)
}

function unknownPreset({ presets, id }: Assistant, preset: string, own: readonly Prompt[] | undefined): Problem {
  const names = [...presets.keys()].sort()
  const known = names.length === 0 ? `${id} has no presets` : `known presets: ${names.join(', ')}`
  return {
    field: 'metadata.__prompt_preset',
    message: own === undefined ? `unknown prompt preset ${quote(preset)}` : `prompt preset ${quote(preset)} is empty`,
    hint: (own === undefined ? didYouMean(preset, names) : undefined) ?? known,
  }
}

/** A prompt of a pull request could send any variable of the runner to the model. */
function envProblems(prompts: readonly Prompt[], host: Host): Problem[] {
  const isCi = !['', 'false', '0'].includes(host.env['CI'] ?? '')
  const allowed = new Set((host.env[ALLOWED] ?? '').split(',').map((name) => name.trim()))
  const problems: Problem[] = []
  for (const { name, prompt } of envNames(prompts)) {
    const { file, line } = prompt
    if (isCi && !allowed.has(name)) {
      const message = `the prompt would send the environment variable ${name} to the model`
      problems.push({ file, line, message, hint: `if that is meant, name it in ${ALLOWED}` })
    } else if (host.env[name] === undefined) {
      host.log.warn(`${file}:${line}: $ENV.${name} is not set; its place in the prompt stays empty, as in Yao`)
    }
  }
  return problems
}
