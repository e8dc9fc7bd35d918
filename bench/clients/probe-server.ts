import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * An MCP server without an SDK. What it receives is appended to the file in the first argument, one line per event, so that a
 * bench can see whether a cancellation arrived. `echo` answers, `hang` never does, `crash` ends the process.
 */
const [log = '/dev/null', ...tools] = process.argv.slice(2)

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: Record<string, unknown>
}

const record = (event: string): void => appendFileSync(log, `${event}\n`)

const parameters = {
  type: 'object',
  properties: { text: { type: 'string', description: 'Any text.' } },
  required: ['text'],
}
const descriptions: Readonly<Record<string, string>> = {
  echo: 'Return a text, preceded by "heard".',
  hang: 'Never return.',
  crash: 'End the server.',
}

function answer({ id, method, params = {} }: Message): unknown {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion === '2025-06-18' ? '2025-06-18' : '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 'probe', version: '1.0.0' },
      }
    case 'ping':
      return {}
    case 'tools/list':
      return {
        tools: tools.map((name) => ({
          name,
          description: descriptions[name],
          inputSchema: parameters,
        })),
      }
    case 'tools/call': {
      const { text } = params.arguments as { text: string }
      record(`call ${String(params.name)} ${text}`)
      if (params.name === 'crash') process.exit(1)
      if (params.name === 'hang') return undefined
      return { content: [{ type: 'text', text: `heard ${text}` }] }
    }
    case 'notifications/cancelled':
      record(`cancelled ${String(params.requestId)}`)
      return undefined
    default:
      return id === undefined ? undefined : null
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as Message
  const result = answer(message)
  if (result === undefined || message.id === undefined) continue
  const body = result === null ? { error: { code: -32601, message: 'Method not found' } } : { result }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...body })}\n`)
}
record('end')
