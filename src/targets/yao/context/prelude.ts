import { MEMORY_METHODS } from './memory.ts'
import { OUTSIDE_GLOBALS, OUTSIDE_MEMBERS, SANDBOX_MEMBERS } from './outside.ts'

/**
 * What hooks, tools and script tests find inside beside JavaScript, as a program that runs before them: `Process`,
 * `Authorized`, `Exception`, `time`, `$L`, every part of a server that fails by its name, and `__openContext(data)`,
 * which makes `ctx`. Everything is answered by `contextCalls`; nothing that it gives is trusted outside.
 * Source: spec yao 7, 11.5 and 11.6.
 */
export const CONTEXT_PRELUDE = `const __openContext = (function () {
  'use strict'
  const call = __call
  const list = Array.isArray
  const OUTSIDE_GLOBALS = ${JSON.stringify(OUTSIDE_GLOBALS)}
  const OUTSIDE_MEMBERS = ${JSON.stringify(OUTSIDE_MEMBERS)}
  const SANDBOX_MEMBERS = ${JSON.stringify(SANDBOX_MEMBERS)}
  const MEMORY_METHODS = ${JSON.stringify(MEMORY_METHODS)}

  /** Asked for by the engine and by JSON.stringify of any object. */
  function isQuiet(key) {
    return typeof key === 'symbol' || key === 'toJSON' || key === 'then'
  }

  /** An object whose unknown members fail by name. */
  function guarded(object, path) {
    return new Proxy(object, {
      get: (target, key) => (isQuiet(key) || key in target ? target[key] : call('outside', path + '.' + key)),
    })
  }

  /** Something that is not here at all: any use of it fails by name. */
  function closed(path) {
    return new Proxy(function () {}, {
      get: (target, key) => (isQuiet(key) ? undefined : call('outside', path + '.' + key)),
      set: (target, key) => call('outside', path + '.' + String(key)),
      has: (target, key) => call('outside', path + '.' + String(key)),
      apply: () => call('outside', path),
      construct: () => call('outside', path),
    })
  }

  function define(name, value) {
    Object.defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true })
  }

  function methods(kind, names) {
    return Object.fromEntries(names.map((name) => [name, (...args) => call(kind, name, args)]))
  }

  define('Process', function Process(name, ...args) {
    return call('process', String(name), args)
  })
  define('Authorized', () => call('authorized'))
  define('$L', (text) => text)
  define('time', guarded({ Sleep: (ms) => void call('sleep', Number(ms)) }, 'time'))
  define('Exception', class Exception extends Error {
    constructor(message, code) {
      super(message)
      this.name = 'Exception'
      this.code = code === undefined ? 500 : code
    }
  })
  for (const name of OUTSIDE_GLOBALS) define(name, closed(name))

  let nodes = 0
  function traceNode(path) {
    const write = (level) => (message) => {
      call('trace', level, typeof message === 'string' ? message : JSON.stringify(message) || '')
      return node
    }
    const child = (input, option) => {
      call('trace', 'debug', String((option && option.label) || 'node'))
      return traceNode('node')
    }
    nodes += 1
    const node = {
      id: 'N' + nodes,
      Add: child,
      Parallel: (inputs) => (list(inputs) ? inputs.map((one) => child(one && one.input, one && one.option)) : []),
      Info: write('info'),
      Debug: write('debug'),
      Warn: write('warn'),
      Error: write('error'),
      Fail: write('error'),
      Complete: () => node,
      SetOutput: () => node,
      SetMetadata: () => node,
      IsComplete: () => false,
      MarkComplete: () => undefined,
      Release: () => undefined,
    }
    return guarded(node, path)
  }

  /** Callbacks stay inside: they get the whole answer as one message, after the call. */
  function asking(kind, key) {
    const ask = (method) => (requests, options) => {
      const results = call(kind, method, requests)
      const watch = options && options.onChunk
      results.forEach((result, index) => {
        const message = { type: 'text', props: { content: result.content } }
        const own = list(requests) && requests[index] && requests[index].onChunk
        if (typeof own === 'function' && result.content) own(message)
        else if (typeof watch === 'function' && result.content) watch(result[key], index, message)
      })
      return results
    }
    const one = (id, messages, options) => {
      const name = kind === 'agent' ? 'agent' : 'connector'
      const result = call(kind, 'All', [{ [name]: id, messages, options }])[0]
      const watch = options && options.onChunk
      if (typeof watch === 'function' && result.content) watch({ type: 'text', props: { content: result.content } })
      return result
    }
    const several = { All: ask('All'), Any: ask('Any'), Race: ask('Race') }
    return guarded({ ...several, [kind === 'agent' ? 'Call' : 'Stream']: one }, 'ctx.' + kind)
  }

  const MCP_METHODS = [
    'ListTools', 'CallTool', 'CallTools', 'CallToolsParallel', 'All', 'Any', 'Race',
    'ListResources', 'ReadResource', 'ListSamples', 'GetSample',
  ]
  const MESSAGE_METHODS = ['Send', 'SendStream', 'Replace', 'Append', 'Merge', 'Set', 'End', 'EndBlock']

  function memory() {
    const space = (name) => {
      const own = MEMORY_METHODS.map((method) => [method, (...args) => call('memory', name, method, args)])
      return guarded({ id: name, space: name, ...Object.fromEntries(own) }, 'ctx.memory.' + name)
    }
    const spaces = ['user', 'team', 'chat', 'context'].map((name) => [name, space(name)])
    return guarded(Object.fromEntries(spaces), 'ctx.memory')
  }

  function openContext({ hasSandbox, ...fields }) {
    const ctx = {
      ...fields,
      memory: memory(),
      trace: traceNode('ctx.trace'),
      mcp: guarded(methods('mcp', MCP_METHODS), 'ctx.mcp'),
      agent: asking('agent', 'agent_id'),
      llm: asking('llm', 'connector'),
      ...methods('message', MESSAGE_METHODS),
      MessageID: () => call('id', 'M'),
      BlockID: () => call('id', 'B'),
      ThreadID: () => call('id', 'T'),
      Release: () => undefined,
    }
    const hidden = (name, get) => Object.defineProperty(ctx, name, { get, enumerable: false, configurable: true })
    for (const name of OUTSIDE_MEMBERS) hidden(name, () => closed('ctx.' + name))
    for (const name of SANDBOX_MEMBERS) {
      hidden(name, () => (hasSandbox ? closed('ctx.' + name) : call('absent', 'ctx.' + name)))
    }
    return guarded(ctx, 'ctx')
  }

  return openContext
})()`

/** Makes `ctx` of the first argument: for hooks, whose first parameter it is. */
export const INVOKE_CONTEXT_FIRST = '(fn, args) => fn(__openContext(args[0]), ...args.slice(1))'

/** Makes `ctx` of the first argument and hands it over last: for the functions behind tools. */
export const INVOKE_CONTEXT_LAST = '(fn, args) => fn(...args.slice(1), __openContext(args[0]))'
