// `npm run docs`: writes action.yml and the tables of README.md from the tables of options and outputs.
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const { module: docs } = await runnerImport(join(root, 'scripts', 'docs.ts'), { root, logLevel: 'error' })

const readme = join(root, 'README.md')
await writeFile(join(root, 'action.yml'), docs.actionYml())
await writeFile(readme, docs.withTables(await readFile(readme, 'utf8')))
