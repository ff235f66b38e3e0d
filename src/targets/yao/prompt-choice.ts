import type { Problem } from '../../core/errors.ts'
import type { Host } from '../../core/host.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { didYouMean, quote } from '../../core/kind.ts'
import type { Assistant } from './assistant.ts'
import type { Prompt } from './prompts.ts'
import { envNames } from './variables.ts'

/** Variables that prompts may send to the model in CI, separated by commas. */
const ALLOWED = 'AGENT_TEST_ENV_ALLOW'

/** What in a request decides which prompts it gets. */
export interface PromptChoice {
  /** Of the case, or of whoever asks. */
  readonly options: { readonly disable_global_prompts?: unknown }
  /** `ctx.metadata`. */
  readonly metadata: JsonObject
  /** From `Create`; these outrank everything else. */
  readonly preset?: string
  readonly disableGlobalPrompts?: boolean
}

/** Global prompts, unless disabled, then the chosen preset or the default prompts. Source: spec yao 11.3. */
export function choosePrompts(assistant: Assistant, choice: PromptChoice): readonly Prompt[] {
  const own = ownPrompts(assistant, choice) ?? []
  return areGlobalsDisabled(assistant, choice) ? own : [...assistant.globalPrompts, ...own]
}

/** Without prompts and without MCP servers no model is asked: the hooks make the answer. Source: spec yao 11.3. */
export function needsModel(assistant: Assistant, choice: PromptChoice): boolean {
  const { prompts, servers } = assistant
  return prompts.length > 0 || servers.length > 0 || (ownPrompts(assistant, choice) ?? []).length > 0
}

/** undefined: an unknown preset. */
function ownPrompts({ presets, prompts }: Assistant, choice: PromptChoice): readonly Prompt[] | undefined {
  const preset = presetOf(choice)
  return preset === '' ? prompts : typeof preset === 'string' ? presets.get(preset) : undefined
}

function presetOf({ preset, metadata }: PromptChoice): Json {
  return preset ?? metadata['__prompt_preset'] ?? ''
}

/** `Create`, then the option, then `ctx.metadata`, then package.yao. */
function areGlobalsDisabled({ package: settings }: Assistant, choice: PromptChoice): boolean {
  const { options, metadata, disableGlobalPrompts } = choice
  const chosen = [disableGlobalPrompts, options.disable_global_prompts, metadata['__disable_global_prompts']]
  const first = chosen.find((value) => typeof value === 'boolean')
  return first ?? settings.disable_global_prompts ?? false
}

const found = new WeakMap<Assistant, Map<string, readonly Problem[]>>()

/** What a choice of prompts would do wrong: asked once a case and once a request, answered once a choice. */
export function choiceProblems(assistant: Assistant, choice: PromptChoice, host: Host): readonly Problem[] {
  const known = found.get(assistant) ?? new Map<string, readonly Problem[]>()
  found.set(assistant, known)
  const key = JSON.stringify([presetOf(choice), areGlobalsDisabled(assistant, choice)])
  const problems = known.get(key) ?? problemsOf(assistant, choice, host)
  known.set(key, problems)
  return problems
}

function problemsOf(assistant: Assistant, choice: PromptChoice, host: Host): Problem[] {
  const own = ownPrompts(assistant, choice)
  const preset = presetOf(choice)
  if (own === undefined || (own.length === 0 && preset !== '')) {
    return [unknownPreset(assistant, typeof preset === 'string' ? preset : JSON.stringify(preset), own)]
  }
  if (own.length === 0 && assistant.servers.length === 0) {
    // Hooks alone make the answer.
    if (assistant.hooks !== undefined) return []
    return [
      {
        ...assistant.place,
        message: 'the assistant has no prompts and no hooks (src/index.ts), so nothing would make its answer',
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
