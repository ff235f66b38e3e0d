// Bundles the program of the sandbox's threads into one plain file that holds the WebAssembly of QuickJS, since it is
// started from wherever dist lies: `bundleSandbox(FILE)`. The same sources give the same bytes.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

export async function bundleSandbox(file) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    define: { QUICKJS_WASM_BASE64: JSON.stringify(await wasm()) },
    // A thread of Node, not a page: Node's own modules stay imports.
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: 'src/sandbox/worker.ts',
      target: 'es2023',
      minify: true,
      write: false,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const chunks = output.filter(({ type }) => type === 'chunk')
  if (chunks.length !== 1 || output.length !== 1) throw new Error('the sandbox is meant to be one file')
  const fresh = `${file}.${process.pid}`
  await mkdir(dirname(file), { recursive: true })
  try {
    await writeFile(fresh, `/*\n${await license()}*/\n${chunks[0].code}`)
    await rename(fresh, file)
  } finally {
    await rm(fresh, { force: true })
  }
}

/** Of QuickJS and of what brings it here; the list beside the entries does not know this file. */
async function license() {
  const variant = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/package.json')
  const text = await readFile(join(dirname(variant), 'LICENSE'), 'utf8')
  if (text.includes('*/')) throw new Error('the license would end its comment')
  return text
}

async function wasm() {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return (await readFile(file)).toString('base64')
}
