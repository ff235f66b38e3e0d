import { resolve } from 'node:path'
import { z } from 'zod'
import { collectProblems, type Problem, problemsError } from '../../core/errors.ts'
import { quote } from '../../core/kind.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import { openScripts, type Scripts } from '../../scripts/scripts.ts'
import { defineTarget } from '../target.ts'
import { openApplication } from './application.ts'
import { loadAssistant } from './assistant.ts'
import { openConnectors } from './connectors.ts'
import { missingParts, serverProblems } from './coverage.ts'
import { locateAssistant } from './locate.ts'
import { createModels } from './models.ts'
import { assistantTarget } from './run.ts'

/** An assistant of a Yao application, run by us: hooks, prompts, tools and connectors. */
export const yao = defineTarget({
  type: 'yao',
  schema: z.object({
    folder: z.string('expected a path').optional().describe("Folder with the assistant's package.yao"),
    name: z
      .string('expected the id of an assistant')
      .optional()
      .describe('Id of the assistant, such as workers.system.keyword'),
    root: z.string('expected a path').optional().describe('Root of the application that `name` is looked for in'),
  }),
  asksModel: true,
  // A plain word may be either; an id is tried first.
  fromValue: (value) => (/[\\/]|^\.+$/.test(value) ? { folder: value } : { name: value }),
  async create({ folder, name, root }, context) {
    const { host } = context
    if ((folder === undefined) === (name === undefined)) {
      throw problemsError('INVALID_TARGET', [{ field: 'target', message: 'expected either "folder" or "name"' }])
    }
    const located = locateAssistant({ folder, name, root }, host)
    const problems: Problem[] = []
    const assistant = loadAssistant(located, host, problems)
    const models = await collectProblems(problems, () => createModels(openConnectors(located.root, host), context))
    const { root: appRoot } = located
    const scripts = openScripts({ root: appRoot, cwd: host.cwd })
    if (assistant?.hooks !== undefined) problems.push(...(await scriptProblems(assistant.hooks, scripts)))
    const own = assistant && 'id' in assistant.connector ? assistant.connector : undefined
    const chosen = context.connector ?? own?.id
    const place = context.connector === undefined ? { ...own?.place, field: 'connector' } : { field: '--connector' }
    const chosenProblems = chosen === undefined ? [] : (models?.problems(chosen, place) ?? [])
    // The agent's own connector is only at fault when a case uses it, but is named with everything else.
    if (
      !assistant ||
      !models ||
      problems.length > 0 ||
      (context.connector !== undefined && chosenProblems.length > 0)
    ) {
      throw problemsError('INVALID_TARGET', [...problems, ...chosenProblems])
    }
    const sandbox = createSandbox(host.sandboxProgram)
    const application = openApplication({ root: appRoot, host, models, scripts, sandbox })
    const broken = serverProblems(assistant, application)
    if (broken.length > 0) throw problemsError('INVALID_TARGET', broken)
    const missing = await missingParts(assistant, application)
    if (missing.length > 0) host.log.warn(`partial coverage of ${assistant.id}: not run here: ${missing.join(', ')}`)
    if (chosen !== undefined && chosenProblems.length === 0) await models.open(chosen)
    return assistantTarget(assistant, application, context)
  },
  // An id is looked for below the folder of the checkout, as it was below this one.
  inCheckout({ folder, name, root }, { host }, { pathOf }) {
    const given = folder ?? root
    const moved = given === undefined ? undefined : pathOf(resolve(host.cwd, given))
    if (given !== undefined && moved === undefined) {
      const reason = `${quote(given)} lies outside of the repository: name the agent of the base with control-target`
      return { reason }
    }
    return {
      settings: folder === undefined ? { name, ...(moved === undefined ? {} : { root: moved }) } : { folder: moved },
    }
  },
})

/** Hooks that cannot be parsed are told with file and line before anything runs. */
async function scriptProblems(path: string, scripts: Scripts): Promise<Problem[]> {
  const read = await scripts.read(path)
  if (read === undefined) return [{ file: path, message: 'lies outside of the application' }]
  return 'problem' in read ? [read.problem] : []
}
