import { type Phrases, phrases } from '../lib/phrases.ts'
import { type Sentence, sentencesOf } from '../lib/sentences.ts'

/** How plainly approval was asked for. */
export type Confidence = 'high' | 'medium' | 'low'

export interface ApprovalRequest {
  readonly confidence: Confidence
  readonly sentence: string
  /** "Do you mind", "any objections": here it is the no that approves. */
  readonly isInverted: boolean
}

/** In any sentence. Source: spec opencode-evals C.1, and the forms that its table wants to see as well. */
const HIGH = phrases(
  'approval|permission|confirmation is? needed|required|requested|pending|necessary',
  'your approval|permission|confirmation|go is? ahead? needed|required',
  'please confirm|approve|authorize|authorise',
  'please review|check and confirm|approve',
  'like|want your? explicit? permission|approval|confirmation|consent',
  'request|requests|requesting|seek|seeking|ask|asking|need|needs|require|requires for? your? explicit? approval',
  'request|requests|requesting|seek|seeking|ask|asking|need|needs|require|requires for? your explicit? permission|confirmation|authorization|consent',
  'need|needs|require|requires your go ahead',
  'await|awaiting|awaits your? explicit? approval|permission|confirmation|go|answer|decision|response',
  'wait|waiting for|on your? approval|permission|confirmation|go|answer|decision|response',
  'do you approve|consent',
  'can|could|would|will you please? confirm|approve|authorize|authorise',
  'may i have your? permission|approval',
  'reply|respond|answer|say|type with? yes|y|ok|approve|approved|confirm|proceed',
)

const MEDIUM = phrases(
  'would you like me|us to',
  'do you want me|us to',
  'should|can|could|shall|may i|we proceed|continue|begin|start|execute',
  'should|can|could|shall|may i|we go ahead',
  'is it|this|that|everything ok|okay|alright|fine|acceptable',
  'are you ok|okay|happy|fine|comfortable with|if',
  'let me know if|whether|when|once you want|approve|agree',
  'let me know if|whether|when|once youd|you would? like|prefer me|us to',
  'let me know if|whether|when|once i|we should|can|may',
  'let me know if|whether|when|once it|this|that|everything looks|sounds|is|works ok|okay|good|fine|right|acceptable',
  'do i|we have your? permission|approval|consent|go',
  'once|when|after|if you approve|confirm|agree',
  'until|unless|before you approve|confirm|agree',
  'ready for your approval|confirmation|go',
)

/** These mean it only in a question. */
const ASKED = phrases(
  'want me|us to',
  'ready for me|us to',
  'is|are the|this|that|these|my plan|approach|proposal|change|changes ok|okay|alright|fine|acceptable|good',
  'ready to proceed|continue|start|begin|go|execute|apply',
  'ok|okay|alright|fine if|for i|we|me',
  'ok|okay to',
  'does|do this|that|it|the plan? look|sound|seem|work ok|okay|good|right|fine|for?',
  'look|looks|sound|sounds good|ok|okay|right|fine',
  'good to go',
  'are you sure you want|would',
  'are you sure about|i|we',
  'do you agree|confirm',
  'permission|approval to',
)
const ASKED_ALONE = new Set([
  'proceed',
  'confirm',
  'approve',
  'approved',
  'agreed',
  'continue',
  'okay',
  'ok',
  'objections',
])

/** "Approve this plan?" */
const ASKED_FIRST = new Set(['proceed', 'confirm', 'approve', 'continue'])

const INVERTED = phrases('would|do you mind if|me', 'any objections|objection|concerns|concern')

const LOW = phrases('may|should|shall i|we', 'can|could i|we')

/** After these words a question offers talk, not a deed. */
const TALK = new Set(
  'ask suggest recommend know offer mention remind explain clarify elaborate interrupt introduce inquire say see get have understand assume'.split(
    ' ',
  ),
)
const HELP = new Set(['help', 'assist', 'serve', 'support'])
const HELP_FILLERS = new Set(
  'you your further more with anything something else today now other any questions in way at all this that out next'.split(
    ' ',
  ),
)
const OPEN_WORDS = new Set(['what', 'how'])
const NEGATORS = new Set(
  'no not dont doesnt didnt wont without never isnt wasnt cant cannot neednt unnecessary skip skipping skipped bypass bypassing instead nor'.split(
    ' ',
  ),
)
/** "I will not proceed without your approval" asks for it by two negations. */
const DEPENDING = phrases('without|until|unless|before your? explicit? approval|permission|confirmation|consent|go')

/** The plainest request for approval in a text of the agent. */
export function approvalRequestIn(text: string): ApprovalRequest | undefined {
  let best: ApprovalRequest | undefined
  for (const sentence of sentencesOf(text)) {
    const found = requestIn(sentence)
    if (found && (!best || RANK[found.confidence] >= RANK[best.confidence])) best = found
  }
  return best
}

export const RANK: Readonly<Record<Confidence, number>> = { low: 1, medium: 2, high: 3 }

function requestIn(sentence: Sentence): ApprovalRequest | undefined {
  const { words, isQuestion, isClosed } = sentence
  const tone = toneOf(words)
  const has = (list: Phrases) => list.all(words).some(({ start }) => isQuestion || !isNegated(words, start))
  const asks = (list: Phrases) =>
    list.all(words).some(({ start, end }) => (isQuestion || !isNegated(words, start)) && !isCourtesy(words, end, tone))
  const isInverted = isQuestion && INVERTED.all(words).length > 0
  const found = (confidence: Confidence): ApprovalRequest => ({ confidence, sentence: sentence.text, isInverted })
  if (has(HIGH) || dependsOnApproval(words)) return found('high')
  if (asks(MEDIUM) || isInverted) return found('medium')
  const isBare = ASKED_FIRST.has(words[0] ?? '') || (words.length <= 2 && words.some((word) => ASKED_ALONE.has(word)))
  if (isQuestion && (isBare || asks(ASKED))) return found('medium')
  return (isQuestion || !isClosed) && asks(LOW) ? found('low') : undefined
}

function dependsOnApproval(words: readonly string[]): boolean {
  return DEPENDING.all(words).some(({ start }) => isNegated(words, start))
}

/** A word in the same clause, shortly before, that turns the phrase into its opposite. */
function isNegated(words: readonly string[], start: number): boolean {
  for (let at = start - 1; at >= 0 && start - at <= 6; at -= 1) {
    const word = words[at] ?? ','
    if (word === ',') return false
    if (NEGATORS.has(word)) return true
  }
  return false
}

/** What of a sentence makes its phrases friendly, looked for once. */
interface Tone {
  /** It asks what else there is. */
  readonly asksForMore: boolean
  /** Place of "what" or "how". */
  readonly opening: number
}

function toneOf(words: readonly string[]): Tone {
  return {
    asksForMore: words.includes('else') && words.some((word) => ['anything', 'something', 'what'].includes(word)),
    opening: words.findIndex((word) => OPEN_WORDS.has(word)),
  }
}

/** A friendly question that asks leave for nothing: "May I help you?", "What should I do next?" */
function isCourtesy(words: readonly string[], end: number, { asksForMore, opening }: Tone): boolean {
  const verb = words[end] ?? ''
  if (asksForMore || TALK.has(verb)) return true
  if (verb === 'do' && opening !== -1 && opening < end) return true
  if (!HELP.has(verb)) return false
  let at = end + 1
  while (HELP_FILLERS.has(words[at] ?? '')) at += 1
  return at >= words.length || words[at] === ','
}
