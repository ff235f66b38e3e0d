// `npm run check:dist`: the committed dist against a fresh build: content, missing files and files no build makes.
import { spawnSync } from 'node:child_process'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runnerImport } from 'vite'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const helper = join(root, '__tests__', 'support', 'bundle.ts')
const { module: bundle } = await runnerImport(helper, { root, logLevel: 'error' })

const { directory } = await bundle.buildBundles()
const differing = (await bundle.differencesFromDist(directory)).map((name) => `dist/${name} is not what a build makes`)
const found = [...differing, ...uncommitted()]
for (const line of found) console.error(line)
console.log(
  found.length === 0 ? 'dist is what npm run build makes.' : 'dist is stale: run npm run build and commit it.',
)
process.exitCode = found.length === 0 ? 0 : 1

/** What is on the disk may still be missing from the commit, a new lazy chunk above all. */
function uncommitted() {
  if (process.env.CI === undefined) return []
  const { status, stdout } = spawnSync('git', ['status', '--porcelain', 'dist'], { cwd: root, encoding: 'utf8' })
  if (status !== 0) return ['git status failed: whether dist is committed is not known']
  return stdout.split('\n').filter((line) => line !== '')
}
