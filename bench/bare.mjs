// What one writes without a framework: the openai package, p-limit, and the results at the end.
import { readFileSync, writeFileSync } from 'node:fs'
import OpenAI from 'openai'
import pLimit from 'p-limit'

const [suite, url, parallel, output] = process.argv.slice(2)
const cases = readFileSync(suite, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line))
const client = new OpenAI({ baseURL: url, apiKey: 'none', maxRetries: 0 })
const limit = pLimit(Number(parallel))

const results = await Promise.all(cases.map((item) => limit(() => run(item))))
writeFileSync(output, results.map((result) => `${JSON.stringify(result)}\n`).join(''))

async function run(item) {
  const answer = await client.chat.completions.create({
    model: 'bench',
    messages: [{ role: 'user', content: item.input }],
  })
  const text = answer.choices[0].message.content
  return { id: item.id, passed: text.includes(item.assert.value), output: text }
}
