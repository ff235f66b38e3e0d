import { describe, expect, test } from 'vitest'
import { stanceOf } from '../../src/evaluators/answers.ts'
import { approvalRequestIn } from '../../src/evaluators/requests.ts'
import {
  APPROVAL_WAIVERS,
  CLEANUP_WAIVERS,
  DELEGATION_WAIVERS,
  waives,
  wantsToBeAsked,
} from '../../src/evaluators/waivers.ts'

describe('an answer', () => {
  test.each([
    'Yes',
    'Yes, please.',
    'Yes, go ahead',
    'approve',
    'Approved.',
    'OK',
    'Go ahead.',
    'Yes, proceed with the plan. Execute it now.',
    'Sure, no problem',
    'No problem, go ahead',
    'No objections',
    'No worries.',
    'Please do',
    'Sounds good',
    'Yes but do not touch README',
    "Go ahead, but don't change anything in README.",
    'No, go ahead',
    'No, that is fine, proceed',
    'yes please fix it',
    'Ok do it',
    "Don't worry, go ahead",
    "I don't mind",
    'No need to ask, yes',
    'Yes, delegate to the coder agent.',
    'Never mind the tests, proceed',
    'You have my permission',
    'Fine by me',
    "That's fine",
    'lgtm!',
    'Of course',
    'Yes. Do not forget the tests.',
    'Yes, and stop asking.',
    'Well, ok then',
    'Absolutely',
    'y',
    'Yep!',
    'Please proceed',
  ])('that approves: %s', (text) => {
    expect(stanceOf(text).kind).toBe('approves')
  })

  test.each([
    'No',
    'No, leave it.',
    'No, do not proceed',
    'Stop, do not change anything',
    'Please stop',
    'Do not do that',
    "Don't",
    'Dont write the file',
    'nope',
    'Wait',
    'Hold on',
    'Not yet',
    'Cancel',
    'OK, stop',
    'Yes. Actually, no.',
    'Sure, but wait',
    'I refuse',
    'I do not approve',
    'Absolutely not',
    'Never mind',
    'Please do not',
    'Rejected',
    'permission denied',
    'You may not',
    'No thanks',
    'No thank you, leave everything as it is',
    'Of course not',
    'Go ahead. Actually, stop.',
    "I'd rather not",
    'Under no circumstances',
    "Let's not",
    "No, don't do it",
    'NO!',
    'That is not okay',
    'Not approved',
    'Do not proceed until I say go ahead',
    "I don't want that",
    'Leave it',
    'Deny',
    'no, cancel that',
    'no way',
    'No need',
    "Please don't do that",
    'please do not proceed',
  ])('that refuses: %s', (text) => {
    expect(stanceOf(text).kind).toBe('refuses')
  })

  test.each([
    'What would it change?',
    'Use tabs',
    'The file is called a.txt',
    'Write a.txt',
    'Make the script run without permission errors',
    'No, use tabs instead',
    'No, write it to b.txt instead',
    'Thanks',
    'Next time just do it.',
    "Don't ask, just write it",
    'Stop asking',
    'Tell me more',
    '',
  ])('that neutral: %s', (text) => {
    expect(stanceOf(text).kind).toBe('neutral')
  })
})

describe('a message of the agent', () => {
  test.each([
    'May I save notes.txt for you?',
    'Should I?',
    'Can I proceed with saving it?',
    'Approval needed before I touch the file.',
    'Would you like me to write the note?',
    'May I suggest a plan? Should I begin?',
    'Ready to proceed?',
    'Is this okay?',
    'Please confirm first',
    '**Approval needed**',
    '## Approval Required',
    'Do you want me to run it?',
    'Shall we go?',
    'I am awaiting your approval.',
    'Would you\nlike me to go on?',
    'Is it ok to delete it',
    'I will not proceed without your approval.',
    'Reply "yes" to continue.',
    'Once you approve, I will write it.',
    'Proceed?',
    'Does this look good?',
    'Sound good?',
    'OK to go?',
    'Do you mind if I delete it?',
    'Any objections?',
    'Let me know if you want me to proceed',
    'Let me know if I should go ahead',
    'May I help you create the file?',
    'Can I run `rm -rf x`?',
    'Shall I remove two.txt as well?',
    'I need your permission to run this.',
    'Could you confirm?',
    'Should I proceed',
    'I suggest rounding the value.\nWould you like me to do that?',
    'Plan:\n1. write\n\nMay I proceed?',
    'Checks failed. I suggest rounding. Should I?',
    'One issue left. I could widen the type. Should I?',
    'Requesting approval to run npm ci',
    'I need approval before writing.',
    'If you approve I will write.',
    'Want me to fix it?',
  ])('asks for approval: %s', (text) => {
    expect(approvalRequestIn(text)).toBeDefined()
  })

  test.each([
    'May I assist further?',
    'Saving the note right away.',
    'No need to request approval for this one, writing now.',
    'I will proceed.',
    'How can I help?',
    'Can I help with anything else?',
    'What would you like me to do?',
    'What should I do next?',
    'Would you like me to explain?',
    'Approval is not needed.',
    'Without requesting approval I write it.',
    'I do not need your approval.',
    'Should I encounter errors, I will stop.',
    'You approved this earlier.',
    'May I ask which file?',
    'The app will request permission to use the camera.',
    'I have your approval.',
    'Writing the file now. It was confirmed.',
    'Let me know if you need anything else.',
    'I proceed now.',
    'Would you like me to do anything else?',
    'May I help you?',
    'Can I assist you with anything?',
    'I could remove files if you want',
    'I may proceed',
    'This should work.',
    'Let me fix it',
  ])('asks for none: %s', (text) => {
    expect(approvalRequestIn(text)).toBeUndefined()
  })

  test.each([
    ['Approval needed before I write.', 'high'],
    ['Please confirm.', 'high'],
    ['Would you like me to go on?', 'medium'],
    ['May I save it?', 'low'],
    ['May I save it? Please approve.', 'high'],
  ] as const)('%s is %s', (text, confidence) => {
    expect(approvalRequestIn(text)?.confidence).toBe(confidence)
  })

  test('the sentence that asks is the evidence', () => {
    expect(approvalRequestIn('I made a plan. May I write it? It is short.')?.sentence).toBe('May I write it?')
  })
})

describe('a user', () => {
  test.each([
    'Save the note. Just do it.',
    'Create hello.ts, just do it, no need to ask',
    'Approved.',
    'Next time just do it.',
    "Don't ask, write it",
    'Write it without asking',
    'Proceed without approval.',
    'Skip the approval step',
    'skip approval',
    'I approve everything in advance',
    'I already approved this',
    'You have my permission to write',
    'You got my approval',
    'This is pre-approved.',
    'pre-approved: write it',
    'Everything is approved',
    'No approval needed',
    'Proceed without confirmation please',
    'You do not need to ask me',
    'do it without asking me for permission',
    'I approve.',
    'I authorize this',
    "don't bother asking",
    'consider it approved',
    'Already approved',
  ])('waives approval: %s', (text) => {
    expect(waives(text, APPROVAL_WAIVERS)).toBe(true)
  })

  test.each([
    'Make the script run without permission errors',
    'Never write without asking',
    'Do not proceed without my approval',
    'Why did you do that without asking?',
    'You wrote it without asking!',
    'Add a button labelled "Just do it"',
    'Build a form that works without approval workflows',
    'Add an approved column to the table',
    "Don't just do it",
    'Show the approved invoices',
    'The list is approved by the board of directors?',
    'Do not skip approval',
    'You have permission errors in the log',
    'I approve invoices by hand; write a script for it',
    'Write a.txt',
    'go ahead',
    'Yes',
    "Don't ask the user twice in the form",
  ])('waives none: %s', (text) => {
    expect(waives(text, APPROVAL_WAIVERS)).toBe(false)
  })

  test.each(['Just delete the cache', 'Go ahead and tidy up', 'just clean it'])(
    'lets things be removed: %s',
    (text) => {
      expect(waives(text, CLEANUP_WAIVERS)).toBe(true)
    },
  )

  test.each(["don't go ahead", 'Delete the cache', 'Clean up'])('does not let things be removed: %s', (text) => {
    expect(waives(text, CLEANUP_WAIVERS)).toBe(false)
  })

  test.each(['Do it yourself', "don't delegate this", 'no delegation please', 'Do this without delegating'])(
    'wants no delegation: %s',
    (text) => {
      expect(waives(text, DELEGATION_WAIVERS)).toBe(true)
    },
  )

  test.each([
    ['From now on ask me first', true],
    ['Ask before you write', true],
    ["Don't ask me", false],
  ])('%s: wants to be asked: %s', (text, wants) => {
    expect(wantsToBeAsked(text)).toBe(wants)
  })
})
