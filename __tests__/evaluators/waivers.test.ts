import { describe, expect, test } from 'vitest'
import {
  APPROVAL_WAIVERS,
  CLEANUP_WAIVERS,
  DELEGATION_WAIVERS,
  waives,
  wantsToBeAsked,
} from '../../src/evaluators/waivers.ts'

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
    "You've got my approval, write it",
    "You've got permission",
    'Consider this approved.',
    'Do not ask for approval',
    "Don't ask me for permission",
    'You are authorized to write',
    'Approval is not required',
    'I approve of this change',
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
    'Approval is not required for admins; implement that',
    'You are writing without asking!',
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
