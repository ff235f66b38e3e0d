// Bundles the two entries and the sandbox's program: `node scripts/build.mjs [--out DIR]`, DIR being dist unless given. The same sources and
// lockfile give the same bytes wherever and how often it runs, so that CI can compare the committed dist with a new one.
import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { minify } from 'vite'
import { bundleSandbox } from './sandbox-bundle.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')
const ncc = fileURLToPath(import.meta.resolve('@vercel/ncc/dist/ncc/cli.js'))

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist') } } })
await build(resolve(values.out))

async function build(out) {
  // Built beside its place and then put there: nobody sees half a bundle, and no stale chunk stays.
  const fresh = join(dirname(out), `.${basename(out)}-${process.pid}`)
  await mkdir(fresh, { recursive: true })
  try {
    // All end before an error is told: a bundle still being written could not be removed.
    const ended = await Promise.allSettled([
      bundle('action', fresh),
      bundle('cli', join(fresh, 'cli')),
      bundleSandbox(join(fresh, 'sandbox.js')),
    ])
    for (const result of ended) if (result.status === 'rejected') throw result.reason
    await writeFile(join(fresh, 'package.json'), '{"type":"module"}\n')
    await makeExecutable(join(fresh, 'cli', 'index.js'))
    await rm(out, { recursive: true, force: true })
    await rename(fresh, out)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

async function bundle(entry, directory) {
  // Types are checked by `npm run check`; here they would only be checked a second and a third time. Transpiling file
  // by file, TypeScript takes `nodenext` for CommonJS: the tsconfig.json beside these entries says ES modules.
  await run(ncc, [
    'build',
    `scripts/bundle/${entry}.ts`,
    '-o',
    directory,
    '--license',
    'licenses.txt',
    '--transpile-only',
    '--no-cache',
    '-q',
  ])
  await rm(join(directory, 'package.json'), { force: true })
  for (const file of await readdir(directory)) if (file.endsWith('.js')) await shrink(join(directory, file))
}

/** ncc's own minifying leaves the lazy chunks as they are, which is nearly everything. */
async function shrink(file) {
  const source = await readFile(file, 'utf8')
  const missing = /eval\("require"\)\("(\.[^"]*)"\)/.exec(source)?.[1]
  // ncc lets a module that is not there fail at run time; that is meant for optional packages, not for our files.
  if (missing !== undefined) throw new Error(`${missing} is imported and is not there`)
  const { code, errors } = await minify(basename(file), source, {
    module: true,
    compress: { target: 'es2023' },
    codegen: { removeWhitespace: true, legalComments: 'none' },
  })
  if (errors.length > 0) throw new Error(`${file} cannot be minified: ${errors[0].message}`)
  await writeFile(file, code)
}

async function makeExecutable(file) {
  const code = await readFile(file, 'utf8')
  await writeFile(file, code.startsWith('#!') ? code : `#!/usr/bin/env node\n${code}`)
  await chmod(file, 0o755)
}

function run(program, args) {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [program, ...args], { cwd: root, stdio: 'inherit' })
    child.once('error', fail)
    child.once('exit', (code) => {
      if (code === 0) done()
      else fail(new Error(`ncc ${args.join(' ')} exited ${code}`))
    })
  })
}
