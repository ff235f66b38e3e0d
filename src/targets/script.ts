import { z } from 'zod'
import { problemsError } from '../core/errors.ts'
import { didYouMean, quote } from '../core/kind.ts'
import { createSandbox } from '../sandbox/create-sandbox.ts'
import { scriptRoot } from '../scripts/script-root.ts'
import { openScripts } from '../scripts/scripts.ts'
import { runTest } from './script-test/run-test.ts'
import { defineTarget } from './target.ts'
import { streamEvents } from './yao/agent/stream-events.ts'
import { openApplication } from './yao/application.ts'
import { openConnectors } from './yao/connectors.ts'
import { createModels } from './yao/models.ts'

/** The script tests of an agent: each of its cases is a function. */
export const script = defineTarget({
  type: 'script',
  schema: z.object({
    tests: z
      .string('expected the name of a script test, such as "scripts.hello.index"')
      .describe("Tests of an agent's module, such as scripts.hello.index"),
  }),
  asksModel: true,
  fromValue: (tests) => ({ tests }),
  async create({ tests }, context) {
    const { host } = context
    const root = scriptRoot(host.cwd, host)
    const scripts = openScripts({ root, cwd: host.cwd })
    const found = await scripts.findTests(tests)
    if (found.kind === 'not-found') throw problemsError('INVALID_TARGET', [{ field: 'target', ...found.problem }])
    const models = createModels(openConnectors(root, host), context)
    const sandbox = createSandbox(host.sandboxProgram)
    const application = openApplication({ root, host, models, scripts, sandbox })
    const names = found.tests.map(({ name }) => name)
    return {
      label: `script:${tests.replace(/^scripts\./, '')}`,
      reads: [found.file],
      application: root,
      agentFolder: found.agent.folder,
      check(item) {
        if (names.includes(item.id)) return []
        const hint = didYouMean(item.id, names) ?? `its tests are ${names.slice(0, 10).join(', ')}`
        return [{ message: `${quote(item.id)} is no test in ${found.script.path}`, hint }]
      },
      execute: (request) => streamEvents((emit) => runTest({ found, application }, request, emit)),
      async dispose() {
        await models.dispose()
        await sandbox.dispose()
      },
    }
  },
  // The functions are the cases, which must stay those of the change, and they import the agent's code by its place.
  inCheckout: 'script tests cannot be run against the code of another commit',
})
