// A loopback model of fixed latency, in a process of its own so that its work is not counted with a contender's.
// Tells its parent its port; answers `report` with what it saw since the last one.
import { createServer } from 'node:http'

const latencyMs = Number(process.argv[2] ?? 0)
const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 }
const whole = JSON.stringify({
  id: 'bench',
  object: 'chat.completion',
  created: 0,
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage,
})
const chunk = (rest) =>
  `data: ${JSON.stringify({ id: 'bench', object: 'chat.completion.chunk', created: 0, model: 'bench', ...rest })}\n\n`
const streamed =
  chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'ok' }, finish_reason: null }] }) +
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
  chunk({ choices: [], usage }) +
  'data: [DONE]\n\n'

let seen = nothing()

const server = createServer((request, response) => {
  seen.firstRequestAt ??= process.hrtime.bigint()
  seen.requests += 1
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (part) => {
    body += part
  })
  request.on('end', () => {
    const answer = () => send(response, body.includes('"stream":true'))
    if (latencyMs === 0) answer()
    else setTimeout(answer, latencyMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))

process.on('message', () => {
  const { requests, firstRequestAt = 0n, lastResponseAt = 0n } = seen
  process.send({ requests, firstRequestAt: String(firstRequestAt), lastResponseAt: String(lastResponseAt) })
  seen = nothing()
})
process.on('disconnect', () => process.exit())

function nothing() {
  return { requests: 0, firstRequestAt: undefined, lastResponseAt: undefined }
}

function send(response, streams) {
  const text = streams ? streamed : whole
  response.writeHead(200, {
    'content-type': streams ? 'text/event-stream' : 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text, () => {
    seen.lastResponseAt = process.hrtime.bigint()
  })
}
