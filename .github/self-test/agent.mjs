// The agent that the self-test tests: knows two capitals, one of them wrong when WORSE=1.
let line = ''
for await (const chunk of process.stdin) line += chunk
const { input } = JSON.parse(line)
const capitals = { France: process.env.WORSE === '1' ? 'Lyon' : 'Paris', Japan: 'Tokyo' }
const country = Object.keys(capitals).find((name) => input.includes(name))
process.stdout.write(`The capital of ${country} is ${capitals[country]}.\n`)
