// The least that can do the job: raw node:http, workers over a cursor, one line of results at a time.
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'

const [suite, url, parallel, output] = process.argv.slice(2)
const lines = readFileSync(suite, 'utf8').split('\n')
const agent = new Agent({ keepAlive: true, maxSockets: Number(parallel) })
const results = createWriteStream(output).setMaxListeners(0)
let next = 0

await Promise.all(Array.from({ length: Number(parallel) }, work))
results.end()
await once(results, 'close')
agent.destroy()

async function work() {
  while (next < lines.length) {
    const line = lines[next++]
    if (line === '') continue
    const item = JSON.parse(line)
    const text = await complete(item.input)
    const result = { id: item.id, passed: text.includes(item.assert.value), output: text }
    if (!results.write(`${JSON.stringify(result)}\n`)) await once(results, 'drain')
  }
}

function complete(content) {
  const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content }] })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      let answer = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        answer += part
      })
      response.on('end', () => resolve(JSON.parse(answer).choices[0].message.content))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
