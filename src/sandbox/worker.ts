import { performance } from 'node:perf_hooks'
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { newQuickJSWASMModuleFromVariant, newVariant, RELEASE_SYNC } from 'quickjs-emscripten'
import { ENDED, interpret } from './interpreter.ts'
import type { FromWorker, WorkerData, WorkerJob } from './protocol.ts'

/** Filled in by `scripts/sandbox-bundle.mjs`. */
declare const QUICKJS_WASM_BASE64: string

interface WasmMemory {
  readonly buffer: ArrayBuffer
}

/** Not among the types of Node 20. */
declare const WebAssembly: {
  readonly compile: (bytes: Uint8Array) => Promise<object>
  readonly Memory: new (pages: { readonly initial: number; readonly maximum: number }) => WasmMemory
}

const PAGE_BYTES = 65_536
/** What the engine is built to start with. */
const FIRST_PAGES = 256
const MAX_PAGES = 32_768

/** The program of a worker thread: takes jobs one after the other. */
async function main(): Promise<void> {
  const { bell, replies } = workerData as WorkerData
  const wasmModule = await WebAssembly.compile(Buffer.from(QUICKJS_WASM_BASE64, 'base64'))
  const signal = new Int32Array(bell)
  const post = (message: FromWorker) => parentPort?.postMessage(message)

  const ask = (text: string): string => {
    post({ kind: 'request', text })
    Atomics.wait(signal, 0, 0)
    Atomics.store(signal, 0, 0)
    const reply = receiveMessageOnPort(replies)
    return typeof reply?.message === 'string' ? reply.message : ENDED
  }

  parentPort?.on('message', (job: WorkerJob) => {
    // An instance each: what a script does to the engine ends with it. Its memory is what limits a script: the engine's
    // own count of bytes sees only that something was allocated, not how much.
    const maximum = Math.min(FIRST_PAGES + Math.ceil(job.memoryBytes / PAGE_BYTES), MAX_PAGES)
    const wasmMemory = new WebAssembly.Memory({ initial: FIRST_PAGES, maximum })
    const variant = newVariant(RELEASE_SYNC, { wasmModule, wasmMemory })
    void newQuickJSWASMModuleFromVariant(variant).then((quickjs) => {
      const end = interpret(quickjs, job, {
        isMemoryFull: () => wasmMemory.buffer.byteLength >= maximum * PAGE_BYTES,
        ask,
        log: (level, text) => post({ kind: 'log', level, text }),
        clock: () => performance.now(),
      })
      post({ kind: 'end', end })
    })
  })
  post({ kind: 'ready' })
}

await main()
