/**
 * What runs inside before a script, as text: a function of the few things that the worker lends. It gives the function
 * that runs the job. Everything it needs later it takes from the globals now, before a script can change them; and as a
 * script can change the prototypes of all objects too, only texts go out, and nothing is put into an object by assigning.
 */
export const GUEST = String.raw`(function (ask, log, deliver, compile) {
  'use strict'
  const { Error, Promise, String } = globalThis
  const { parse, stringify } = JSON
  const { create, defineProperty, hasOwn } = Object
  const { apply } = Reflect
  const { then } = Promise.prototype
  const isInstance = Function.prototype[Symbol.hasInstance]
  const cut = Function.prototype.bind.call(Function.prototype.call, String.prototype.slice)
  const tagOf = Function.prototype.bind.call(Function.prototype.call, Object.prototype.toString)
  const modules = create(null)
  const MAX_ERROR_TEXT = 10000
  let atEnd

  function exchange(request) {
    const reply = parse(ask(request))
    // The interrupt that waits for this cannot be caught.
    if (reply.kind === 'ended') for (;;);
    if (reply.kind === 'error') throw new Error(reply.message)
    return reply.kind === 'nothing' ? undefined : reply.value
  }

  function call(name) {
    let args = ''
    for (let index = 1; index < arguments.length; index++) {
      const text = stringify(arguments[index])
      args += (index === 1 ? '' : ',') + (text === undefined ? 'null' : text)
    }
    return exchange('{"kind":"call","name":' + stringify(String(name)) + ',"args":[' + args + ']}')
  }

  function load(specifier, from) {
    const asked = '"specifier":' + stringify(String(specifier)) + ',"from":' + stringify(from)
    const found = exchange('{"kind":"load",' + asked + '}')
    if (found === undefined) return undefined
    const known = modules[found.path]
    if (known) return known
    const module = { exports: {}, locals: {} }
    modules[found.path] = module
    const body = compile('(function (exports, require, module) {' + found.code + '\n})', found.path)
    body(module.exports, requireFrom(found.path), module)
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
      return part === undefined || part === null ? '' : cut(String(part), 0, MAX_ERROR_TEXT)
    } catch (_) {
      return ''
    }
  }

  function isError(value) {
    try {
      return typeof value === 'object' && value !== null && ('stack' in value || 'message' in value)
    } catch (_) {
      return false
    }
  }

  function show(value) {
    if (typeof value === 'string') return value
    if (typeof value === 'function') return '[Function ' + (partOf(value, 'name') || 'anonymous') + ']'
    if (typeof value === 'bigint') return String(value) + 'n'
    try {
      if (isError(value) && value instanceof Error) return value.name + ': ' + value.message
      const text = stringify(value)
      return text === undefined ? String(value) : text
    } catch (_) {
      return tagOf(value)
    }
  }

  function writer(level) {
    return function () {
      let text = ''
      for (let index = 0; index < arguments.length; index++) text += (index === 0 ? '' : ' ') + show(arguments[index])
      log(level, text)
    }
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

  function threw(thrown) {
    if (!isError(thrown)) return deliver('threw', 'Error', cut(show(thrown), 0, MAX_ERROR_TEXT), '')
    deliver('threw', partOf(thrown, 'name') || 'Error', partOf(thrown, 'message'), partOf(thrown, 'stack'))
  }

  function returned(value) {
    try {
      const text = stringify(value)
      if (atEnd) atEnd()
      deliver('returned', text === undefined ? 'null' : text, '', '')
    } catch (thrown) {
      threw(thrown)
    }
  }

  return function run(script, name, args, setUp) {
    try {
      const invoke = setUp(call, (action) => { atEnd = action })
      const module = load(script, null)
      const own = module === undefined ? undefined : functionOf(module, name)
      if (own === undefined) return deliver('missing', '', '', '')
      const value = invoke(own, parse(args))
      // What await would do, but not by what the script made of promises.
      const promise = apply(isInstance, Promise, [value]) ? value : new Promise((resolve) => resolve(value))
      apply(then, promise, [returned, threw])
    } catch (thrown) {
      threw(thrown)
    }
  }

  function functionOf({ exports, locals }, name) {
    const exported = exports === null || exports === undefined ? undefined : exports[name]
    if (typeof exported === 'function') return exported
    const local = hasOwn(locals, name) ? locals[name] : undefined
    return typeof local === 'function' ? local : undefined
  }
})`
