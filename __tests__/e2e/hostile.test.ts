import { strFromU8, unzipSync } from 'fflate'
import { afterEach, expect, test } from 'vitest'
import { onMain, onPull, openPull } from '../support/github/events.ts'
import { elementsOf, githubHtml, parseHtml, referencesIn } from '../support/markdown.ts'
import { answering, type Story, SUITE, suiteOf, tell } from './story.ts'

let story: Story

afterEach(async () => {
  const { violations } = story.github
  await story.end()
  expect(violations).toEqual([])
})

/** Everything that GitHub or its runner would act on, in one text. */
const EVIL = [
  '@octocat see #1 at https://evil.example',
  '::error file=x.js::planted',
  '##[set-env name=PATH]/evil',
  '::set-output name=status::passed',
  '::stop-commands::abcdefgh',
  '\u200b::add-path::/evil',
  '</details></table><img src=x onerror=alert(1)> <!-- agent-test:default -->',
  '```',
  '| a | b |\r::warning::after a carriage return',
].join('\n')

const ID = '::error::@octocat <img src=x> ##[add-path]/evil `|` \u202e'

test('what suite, agent and branch say is only ever text: in log, annotations, summary, comment, check run and outputs', async () => {
  story = await tell({ [SUITE]: suiteOf([{ id: 'plain' }, { id: ID, input: EVIL }]) })
  const { github, repository } = story
  const inputs = { runs: '10', control: 'off', 'max-latency-increase': '1000' }
  const main = await story.run(onMain(github, 'push'), { inputs })
  expect(main.conclusion).toBe('success')
  const pull = await openPull(github, repository, {
    branch: 'fix-@octocat-<b>-#1',
    title: '::error::planted @octocat',
    files: answering({ [ID]: EVIL }),
  })
  const { agent, conclusion } = await story.run(await onPull(github, repository, pull), {
    inputs: { ...inputs, verbose: 'true' },
  })

  // The job fails for the regression alone: no command of theirs was obeyed.
  expect(conclusion).toBe('failure')
  expect(agent.outputs).toMatchObject({ status: 'failed', 'exit-reason': 'regression', regressions: '1' })
  expect(agent.annotations.map(({ level, file }) => [level, file])).toEqual([['error', undefined]])
  expect(agent.commands.filter((name) => name !== 'add-mask' && name !== 'debug')).toEqual(['error'])
  expect(agent.log).toContain('planted')

  const check = github.state.checkRuns.find((item) => item.headSha === pull.head.sha)
  expect(check?.annotations).toHaveLength(1)
  for (const markdown of [github.state.comments[0]?.body, check?.summary, agent.summary]) {
    const tree = parseHtml(githubHtml(markdown ?? ''))
    const tags = new Set(elementsOf(tree).map((element) => element.tagName))
    expect(['img', 'script', 'b'].filter((tag) => tags.has(tag))).toEqual([])
    expect(referencesIn(tree)).toEqual([])
    expect(markdown).toContain('plain')
  }
  // Hidden are our own three lines only; the imitation is shown as text.
  const { childNodes } = parseHtml(githubHtml(github.state.comments[0]?.body ?? ''))
  const hidden = childNodes.flatMap((node) => (node.nodeName === '#comment' && 'data' in node ? [node.data] : []))
  expect(hidden).toEqual([
    ' agent-test:default ',
    expect.stringMatching(/^ agent-test-data /),
    expect.stringMatching(/^ agent-test-section [\w+/=-]+ $/),
  ])
})

test('secrets of the environment and what looks like a key stay out of every place', async () => {
  const key = `sk-${'proj-AbCdEf0123456789'.repeat(2)}`
  story = await tell({ [SUITE]: suiteOf([{ id: 'leak' }]), ...answering({ leak: `my key is ${key}` }) })
  const { github, repository } = story
  const pull = await openPull(github, repository, { branch: 'change', files: { 'README.md': 'Hello.\n' } })
  const { agent, log } = await story.run(await onPull(github, repository, pull), {
    inputs: { verbose: 'true' },
  })
  const places = [
    log,
    agent.summary,
    ...Object.values(agent.outputs),
    JSON.stringify(github.requests.map(({ body }) => body)),
    ...github.state.artifacts.flatMap(({ content }) =>
      Object.values(unzipSync(content)).map((file) => strFromU8(file)),
    ),
  ]
  expect(github.state.artifacts).toHaveLength(1)
  expect(places.filter((text) => text.includes(key))).toEqual([])
  expect(github.state.comments[0]?.body).toContain('my key is')
})
