/**
 * What runs inside before a script, as text: a function of the few things that the worker lends. It gives the function
 * that runs the job. Everything it needs later it takes from the globals now, before a script can change them.
 */
export const GUEST = String.raw`(function (ask, log, deliver, compile) {
  'use strict'
  const { parse, stringify } = JSON
  const { defineProperty } = Object
  const modules = Object.create(null)
  const MAX_ERROR_TEXT = 10000

  function exchange(request) {
    const reply = parse(ask(stringify(request)))
    // The interrupt that waits for this cannot be caught.
    if (reply.kind === 'ended') for (;;);
    if (reply.kind === 'error') throw new Error(reply.message)
    return reply.kind === 'nothing' ? undefined : reply.value
  }

  function load(specifier, from) {
    const found = exchange({ kind: 'load', specifier: String(specifier), from })
    if (found === undefined) return undefined
    const known = modules[found.path]
    if (known) return known
    const module = { exports: {}, locals: {} }
    modules[found.path] = module
    const body = compile('(function (exports, require, module) {' + found.code + '\n})', found.path)
    body.call(undefined, module.exports, requireFrom(found.path), module)
    return module
  }

  function requireFrom(path) {
    return function require(specifier) {
      const module = load(specifier, path)
      if (module === undefined) throw new Error("Cannot find module '" + specifier + "'")
      return module.exports
    }
  }

  /** An error's parts may be getters of the script. */
  function partOf(error, name) {
    try {
      const part = error[name]
      return part === undefined || part === null ? '' : String(part).slice(0, MAX_ERROR_TEXT)
    } catch (_) {
      return ''
    }
  }

  function isError(value) {
    return typeof value === 'object' && value !== null && ('stack' in value || 'message' in value)
  }

  function describe(thrown) {
    if (!isError(thrown)) return { name: 'Error', message: show(thrown).slice(0, MAX_ERROR_TEXT), stack: '' }
    return { name: partOf(thrown, 'name') || 'Error', message: partOf(thrown, 'message'), stack: partOf(thrown, 'stack') }
  }

  function show(value) {
    if (typeof value === 'string') return value
    if (typeof value === 'function') return '[Function ' + (value.name || 'anonymous') + ']'
    if (typeof value === 'bigint') return value + 'n'
    try {
      if (isError(value) && value instanceof Error) return value.name + ': ' + value.message
      const text = stringify(value)
      return text === undefined ? String(value) : text
    } catch (_) {
      return Object.prototype.toString.call(value)
    }
  }

  function writer(level) {
    return function () {
      let text = ''
      for (let index = 0; index < arguments.length; index++) text += (index === 0 ? '' : ' ') + show(arguments[index])
      log(level, text)
    }
  }

  function hidden(name, value) {
    defineProperty(globalThis, name, { value, writable: false, enumerable: false, configurable: false })
  }

  function open(name, value) {
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true })
  }

  const debug = writer('debug')
  const info = writer('info')
  const warn = writer('warn')
  const error = writer('error')
  open('console', { log: info, info, debug, warn, error, trace: debug })
  open('log', {
    Trace: debug, Debug: debug, Info: info, Warn: warn, Error: error, Fatal: error, Panic: error,
    trace: debug, debug, info, warn, error, fatal: error, panic: error,
  })
  hidden('__call', function __call(name) {
    const args = []
    for (let index = 1; index < arguments.length; index++) args[index - 1] = arguments[index]
    return exchange({ kind: 'call', name: String(name), args })
  })

  return async function run(script, name, args, invoke) {
    try {
      const module = load(script, null)
      const own = module === undefined ? undefined : functionOf(module, name)
      if (own === undefined) return deliver('missing', '')
      const value = await invoke(own, parse(args))
      const text = stringify(value)
      deliver('returned', text === undefined ? 'null' : text)
    } catch (thrown) {
      deliver('threw', stringify(describe(thrown)))
    }
  }

  function functionOf({ exports, locals }, name) {
    const exported = exports === null || exports === undefined ? undefined : exports[name]
    if (typeof exported === 'function') return exported
    const local = Object.hasOwn(locals, name) ? locals[name] : undefined
    return typeof local === 'function' ? local : undefined
  }
})`
