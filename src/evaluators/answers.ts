import { phrases } from '../lib/phrases.ts'
import { type Sentence, sentencesOf } from '../lib/sentences.ts'

/** What a user says to what the agent would like to do. */
export interface Stance {
  /** `neutral` says neither; a turn that does not refuse lets the agent go on. */
  readonly kind: 'approves' | 'refuses' | 'neutral'
  /** Said outright, as "stop" and "go ahead" are; a bare yes or no depends on what was asked. */
  readonly isOutright: boolean
}

/** At the start of a clause. */
const GO = phrases(
  'go ahead',
  'go for it',
  'proceed|continue|approve|approved|confirm|confirmed|granted|lgtm',
  'carry on',
  'please? do it|that|this|so|them',
  'please do',
  'i approve|authorize|authorise|agree|confirm|consent|accept|allow',
  'sounds|looks good|great|fine|right|ok|okay|perfect',
  'thats|its|that|it|this|all is? fine|ok|okay|good|great|right|correct|perfect|alright|approved',
  'you may|can|could proceed|continue|go|do|start|begin|write|run|create|delete|edit',
  'you have|got my? permission|approval|consent|go|blessing|ok',
  'permission|approval granted',
  'make it so',
  'ship it',
  'lets do|go|proceed|start',
)
const YES = phrases(
  'yes|yep|yeah|yup|ya|y|k|sure|ok|okay|absolutely|definitely|certainly|fine|alright|right|correct|great|perfect',
  'of course',
  'by all means',
  'why not',
  'no problem|problems|worries|objection|objections|issue|issues|concern|concerns|doubt',
  'no need to? ask|confirm|wait|check|for approval|confirmation|permission?',
  'no need to ask|confirm|wait|check',
  'no more|further questions|objections',
  'no rush|hurry|pressure',
  'no changes|change needed|necessary|required',
  'not a problem',
  'i dont mind|care|object',
  'i do not mind|care|object',
)
const STOP = phrases(
  'stop|cancel|abort|halt|pause|nevermind|denied|deny|rejected|reject|declined|decline|refused|disapproved|wait',
  'hold on|off|it',
  'leave it|that|this|them|everything',
  'never mind',
  'forget it|that|about',
  'skip it|that|this',
  'please? dont|never',
  'please? do not',
  'i dont|do want|think|approve|agree|like|consent|allow|authorize|accept',
  'i do not want|think|approve|agree|like|consent|allow|authorize|accept',
  'i refuse|decline|deny|reject|disapprove|object|disagree|forbid',
  'permission|approval|access is? denied|refused|rejected|declined',
  'not approved|allowed|permitted|acceptable|ok|okay|yet|now',
  'you may|can|must|should|shall not',
  'you cant|cannot|mustnt|shouldnt|maynt',
  'thats|its|that|it|this is? not ok|okay|fine|good|right|acceptable|approved',
  'not right|just now|yet',
  'under no circumstances',
  'lets not|wait|stop|hold|leave|skip|pause|cancel|abort',
  'i|ive have? changed my mind',
  'do nothing',
  'i cant|cannot|wont approve|agree|allow|authorize|accept|confirm',
  'i can|will not approve|agree|allow|authorize|accept|confirm',
)
const NO = phrases(
  'no|nope|nah|negative',
  'rather not',
  'id|i would? rather not',
  'id|i would? rather|prefer you|we didnt|dont|not|wouldnt',
  'id|i would? rather|prefer you|we did|do|would not',
  'better|best not',
  'not a? good|great idea',
  'bad idea',
  'im not ok|okay|comfortable|happy|fine|convinced',
  'i am not ok|okay|comfortable|happy|fine|convinced',
  'not without|happening|today|until|unless|before',
  'that|this|it would be wrong|bad|dangerous',
  'i said|say no',
  'id|i would? say no',
  'ill do it|that|this myself',
  'i will do it|that|this myself',
  'thats|its|that|it|this is? not what i want|wanted|asked|meant|had',
  'that|it|this isnt what i want|wanted|asked|meant|had',
  'let me think|consider',
  'let me look|check|review first',
  'let me look|check|review at|over? it|this|that first',
  'definitely|absolutely|certainly|of course? not',
  'please no',
)
/** What follows a "don't" that forbids the whole: `don't`, `don't do it`, `do not proceed`. */
const WHOLE = phrases(
  'do it|that|this|anything|so',
  'proceed|continue|execute|start|begin|dare',
  'go ahead|on',
  'touch|change|write|run|delete|modify|edit|create anything|it|that|this|them',
)
/** "Don't worry", "stop asking" and the like hinder nothing. */
const HARMLESS = new Set(
  'worry ask asking bother hesitate stop wait forget mind care need have be worrying think'.split(' '),
)
/** After a no these tell what to do in place of what was asked. */
const INSTEAD = new Set('use make put write create name call save add try run rename move pick choose go do'.split(' '))
const FILLERS = new Set('hmm well sorry actually um uh oh please then just so and ah hey hi thanks now but'.split(' '))
const SPLITTERS = new Set([',', 'but', 'however', 'though', 'although'])

/** `bar`: a no to some thing, "no emojis"; behind a yes it only narrows that. */
type Weight = 'go' | 'yes' | 'stop' | 'no' | 'bar' | 'limit' | 'instead' | 'nothing'

/** How a user's turn answers. A later plain word outranks a polite one before it: "OK, stop", "No, go ahead". */
export function stanceOf(text: string): Stance {
  const weights = sentencesOf(inWords(text)).flatMap((sentence) => clausesOf(sentence).map(weigh))
  const outright = weights.findLast((weight) => weight === 'go' || weight === 'stop')
  if (outright) return { kind: outright === 'go' ? 'approves' : 'refuses', isOutright: true }
  const polite = weights.findLast((weight) => weight === 'yes' || weight === 'no')
  if (polite === 'yes') return { kind: 'approves', isOutright: false }
  if (polite === 'no' || weights.includes('bar'))
    return { kind: weights.includes('instead') ? 'neutral' : 'refuses', isOutright: false }
  return { kind: weights.includes('limit') ? 'refuses' : 'neutral', isOutright: false }
}

/** Signs that say no; those that say yes need not be read, for a turn that does not refuse lets the agent go on. */
function inWords(text: string): string {
  return text.replace(/[👎❌🚫🛑⛔]/gu, ' no. ')
}

const ASKING_FOR_FACTS = new Set(['what', 'whats', 'why', 'which', 'who', 'where', 'when', 'how'])

/** "What would it change?" settles nothing: the request still waits for its answer. */
export function onlyInquires(text: string): boolean {
  const sentences = sentencesOf(text)
  return (
    sentences.length > 0 &&
    sentences.every(({ words, isQuestion }) => isQuestion && ASKING_FOR_FACTS.has(words[0] ?? '')) &&
    stanceOf(text).kind === 'neutral'
  )
}

function clausesOf({ words }: Sentence): string[][] {
  const clauses: string[][] = [[]]
  for (const word of words) {
    if (SPLITTERS.has(word)) clauses.push([])
    else clauses.at(-1)?.push(word)
  }
  return clauses.filter((clause) => clause.length > 0)
}

function weigh(clause: readonly string[]): Weight {
  let start = 0
  while (start < clause.length - 1 && FILLERS.has(clause[start] ?? '') && longestAt(clause, start) === undefined)
    start += 1
  const found = longestAt(clause, start)
  if (!found) return INSTEAD.has(clause[start] ?? '') || clause.includes('instead') ? 'instead' : 'nothing'
  if (found.weight === 'stop') return weighStop(clause, found.end)
  return found.weight === 'go' ? 'go' : afterYes(clause, found.end, found.weight)
}

const LISTS = { stop: STOP, go: GO, yes: YES, no: NO }

/** "Absolutely not" is longer than "absolutely". */
function longestAt(clause: readonly string[], start: number) {
  let longest: { readonly weight: keyof typeof LISTS; readonly end: number } | undefined
  for (const weight of ['stop', 'go', 'no', 'yes'] as const) {
    const end = LISTS[weight].at(clause, start)?.end
    if (end !== undefined && end > (longest?.end ?? 0)) longest = { weight, end }
  }
  return longest
}

/** "Yes go ahead" and "no do not" without a comma say the second. */
function afterYes(clause: readonly string[], end: number, weight: 'yes' | 'no'): Weight {
  const rest = clause.slice(end)
  if (rest.length === 0) return weight
  if (GO.at(rest, 0)) return 'go'
  if (STOP.at(rest, 0)) return weighStop(rest, STOP.at(rest, 0)?.end ?? 0)
  return weight === 'no' && clause[end - 1] === 'no' && !PLAIN.has(rest[0] ?? '') ? 'bar' : weight
}

/** A no that goes on with these is a no to the whole. */
const PLAIN = new Set('to way thanks thank please sorry need i you we it that this not never leave let no'.split(' '))

function weighStop(clause: readonly string[], end: number): Weight {
  const next = clause[end] ?? ''
  const last = clause[end - 1] ?? ''
  if (HARMLESS.has(next) && last !== 'not' && last !== next) return 'nothing'
  if ((last === 'mind' || last === 'nevermind') && ['the', 'my', 'those'].includes(next)) return 'nothing'
  if (!isForbidding(clause, end)) return 'stop'
  if (HARMLESS.has(next)) return 'nothing'
  if (next === '') return 'stop'
  const whole = WHOLE.at(clause, end)
  return whole && isWhole(clause, whole.end) ? 'stop' : 'limit'
}

/** `don't`, `do not`, `never`: what they forbid follows. */
function isForbidding(clause: readonly string[], end: number): boolean {
  const last = clause[end - 1] ?? ''
  return last === 'dont' || last === 'never' || (last === 'not' && clause[end - 2] === 'do')
}

/** "Do not change anything in README" leaves the rest. */
function isWhole(clause: readonly string[], end: number): boolean {
  return !['in', 'on', 'for', 'outside', 'other', 'except', 'besides', 'under', 'within'].includes(clause[end] ?? '')
}
