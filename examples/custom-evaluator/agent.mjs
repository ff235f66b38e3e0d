// Stands for an agent, so that the example needs none: it prints its events, one a line.
const say = (type, data) => process.stdout.write(`${JSON.stringify({ type, data })}\n`)
const content = process.argv[2] === 'careless' ? 'api_key=1234\n' : 'api_key_file=/run/secrets/key\n'

say('tool_call', { tool: 'write', parameters: { filePath: 'settings.env', content }, result: 'ok' })
say('assistant_message', { text: 'The settings are in settings.env.' })
