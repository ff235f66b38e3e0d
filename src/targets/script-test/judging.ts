import { MAX_DEPTH } from '../../core/json.ts'

/**
 * How the assertions of a script test judge, as text for its prelude: `ASSERTIONS` and what shows values. The code that
 * is tested shares the globals with this: what is needed of them is taken before it is loaded. Source: spec yao 7.
 */
export const JUDGING = `const { Number, Object, RangeError, String } = globalThis
  const { stringify, parse } = JSON
  const { create, hasOwn, keys } = Object
  const { apply } = Reflect
  const isArray = Array.isArray
  const uncurried = (method) => Function.prototype.bind.call(Function.prototype.call, method)
  const cut = uncurried(String.prototype.slice)
  const includes = uncurried(String.prototype.includes)
  const startsWith = uncurried(String.prototype.startsWith)
  const sort = uncurried(Array.prototype.sort)
  const depths = new WeakMap()
  const depthOf = uncurried(WeakMap.prototype.get)
  const setDepth = uncurried(WeakMap.prototype.set)
  const ofObjects = Object.prototype
  const ofLists = Array.prototype

  /** Equal values give equal texts: keys are sorted, undefined is null. */
  function text(value) {
    const found = stringify(value, ordered)
    return found === undefined ? 'null' : found
  }

  function ordered(key, member) {
    const isChanged = ofObjects.toJSON !== undefined || ofLists.toJSON !== undefined
    const given = isChanged && isEverybodys(this[key]) ? this[key] : member
    if (typeof given !== 'object' || given === null) return given
    const depth = (depthOf(depths, this) || 0) + 1
    // The copies hide from JSON.stringify that something is in itself.
    if (depth > ${MAX_DEPTH}) throw new RangeError('nested deeper than ${MAX_DEPTH} levels')
    const found = isArray(given) ? given : sorted(given)
    setDepth(depths, found, depth)
    return found
  }

  function sorted(value) {
    const names = sort(keys(value))
    const copy = create(null)
    for (let index = 0; index < names.length; index++) copy[names[index]] = value[names[index]]
    return copy
  }

  /** A toJSON that someone gave to all objects or lists does not speak for this one. */
  function isEverybodys(value) {
    if (typeof value !== 'object' || value === null || hasOwn(value, 'toJSON')) return false
    return value.toJSON === ofObjects.toJSON || value.toJSON === ofLists.toJSON
  }

  /** For messages: some values have no JSON. */
  function shown(value) {
    try {
      return text(value)
    } catch (_) {
      return described(value)
    }
  }

  function described(value) {
    try {
      return String(value)
    } catch (_) {
      return typeOf(value)
    }
  }

  function words(values) {
    let said = ''
    for (let index = 0; index < values.length; index++) {
      const value = values[index]
      said += (index === 0 ? '' : ' ') + (typeof value === 'string' ? value : shown(value))
    }
    return said
  }

  function isNil(value) {
    return value === null || value === undefined
  }

  function typeOf(value) {
    if (value === null) return 'null'
    return isArray(value) ? 'array' : typeof value
  }

  function lengthOf(value) {
    if (isNil(value)) return 0
    if (typeof value === 'string' || isArray(value)) return value.length
    return typeof value === 'object' ? keys(value).length : undefined
  }

  /** What lies at a path such as \`user.tags[0]\`; nothing is null. */
  function at(value, path) {
    let found = typeof value === 'string' ? parsed(value) : value
    let step = ''
    const isRoot = path === '$' || startsWith(path, '$.') || startsWith(path, '$[')
    for (let index = isRoot ? 1 : 0; index <= path.length; index++) {
      const sign = index < path.length ? path[index] : '.'
      if (sign !== '.' && sign !== '[' && sign !== ']') step += sign
      else if (step !== '') {
        if (typeof found !== 'object' || found === null || !hasOwn(found, step)) return null
        found = found[step]
        step = ''
      }
    }
    return isNil(found) ? null : found
  }

  function parsed(source) {
    try {
      return parse(source)
    } catch (_) {
      return null
    }
  }

  /** The error that a call throws, or undefined. */
  function thrownBy(action) {
    try {
      action()
      return undefined
    } catch (error) {
      return { error }
    }
  }

  /** \`problem\` is a text or makes one: what holds needs none. */
  const verdict = (passed, problem, expected, actual) => ({ passed: !!passed, problem, expected, actual })
  const compare = (sign, holds) => ({
    needs: 2,
    judge: (left, right) => verdict(holds(Number(left), Number(right)), () => 'expected a number ' + sign + ' ' + shown(right) + ', got ' + shown(left), right, left),
  })
  const containing = (wanted) => ({
    needs: 2,
    judge: (value, part) => {
      const not = wanted ? '' : ' not'
      const problem = () => 'expected ' + shown(String(value)) + not + ' to contain ' + shown(String(part))
      return verdict(includes(String(value), String(part)) === wanted, problem, part, value)
    },
  })
  const matching = (wanted) => ({
    needs: 2,
    judge: (value, pattern) => {
      const { matches, problem } = call('match', String(value), String(pattern))
      if (typeof matches !== 'boolean') return verdict(false, String(problem), pattern, value)
      const not = wanted ? '' : ' not'
      return verdict(matches === wanted, () => 'expected ' + shown(String(value)) + not + ' to match ' + String(pattern), pattern, value)
    },
  })
  const throwing = (wanted) => ({
    needs: 1,
    judge: (action) => {
      if (typeof action !== 'function') return verdict(false, 'expected a function, got ' + typeOf(action))
      const thrown = thrownBy(action)
      const said = () => (thrown === undefined ? 'it did not' : 'it threw ' + described(thrown.error))
      return verdict((thrown !== undefined) === wanted, () => 'expected the function ' + (wanted ? '' : 'not ') + 'to throw, ' + said())
    },
  })

  /** How many arguments each needs, and how it judges them. */
  const ASSERTIONS = {
    __proto__: null,
    True: { needs: 1, judge: (value) => verdict(value, () => 'expected something true, got ' + shown(value), true, value) },
    False: { needs: 1, judge: (value) => verdict(!value, () => 'expected something false, got ' + shown(value), false, value) },
    Equal: { needs: 2, judge: (actual, expected) => verdict(text(actual) === text(expected), () => 'expected ' + text(expected) + ', got ' + text(actual), expected, actual) },
    NotEqual: { needs: 2, judge: (actual, expected) => verdict(text(actual) !== text(expected), () => 'expected anything but ' + text(expected), expected, actual) },
    Nil: { needs: 1, judge: (value) => verdict(isNil(value), () => 'expected null, got ' + shown(value), null, value) },
    NotNil: { needs: 1, judge: (value) => verdict(!isNil(value), 'expected anything but null', undefined, value) },
    Contains: containing(true),
    NotContains: containing(false),
    Len: { needs: 2, judge: (value, length) => {
      const found = lengthOf(value)
      const said = found === undefined ? typeOf(value) + ' has no length' : 'got ' + found
      return verdict(found === Number(length), () => 'expected a length of ' + shown(length) + ', ' + said, length, value)
    } },
    Greater: compare('>', (left, right) => left > right),
    GreaterOrEqual: compare('>=', (left, right) => left >= right),
    Less: compare('<', (left, right) => left < right),
    LessOrEqual: compare('<=', (left, right) => left <= right),
    Error: { needs: 1, judge: (error) => verdict(!isNil(error), 'expected an error, got null') },
    NoError: { needs: 1, judge: (error) => verdict(isNil(error), () => 'expected no error, got ' + described(error)) },
    Panic: throwing(true),
    NoPanic: throwing(false),
    Match: matching(true),
    NotMatch: matching(false),
    Type: { needs: 2, judge: (value, name) => verdict(typeOf(value) === name, () => 'expected the type ' + described(name) + ', got ' + typeOf(value), name, typeOf(value)) },
    JSONPath: { needs: 3, judge: (value, path, expected) => {
      const found = at(value, String(path))
      return verdict(text(found) === text(expected), () => 'expected ' + text(expected) + ' at ' + String(path) + ', got ' + text(found), expected, found)
    } },
  }
`
