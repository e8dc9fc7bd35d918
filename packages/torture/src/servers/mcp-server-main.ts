import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ToolContext } from '../adapter/adapter.ts'
import type { Process } from '../observe/processes.ts'
import { catalogue, type TortureTool } from '../tools/catalogue.ts'
import { recordEvent } from '../tools/record-event.ts'
import { type Fault, faults, type Message } from './mcp-faults.ts'

/** An MCP server over stdio. It serves tools of the suite, and may have one fault. */
const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    tools: { type: 'string', default: '' },
    schemas: { type: 'string', default: '{}' },
    fault: { type: 'string', default: '' },
  },
})
if (options.events !== undefined) process.env.TORTURE_EVENTS = options.events
recordEvent('server', { fault: options.fault, ...ownProcess() })

const schemas = JSON.parse(options.schemas) as Record<string, object>
const fault: Fault = faults[options.fault] ?? {}
const served = options.tools
  .split(',')
  .filter(Boolean)
  .map((name) => catalogue.get(name)!)
const running = new Map<unknown, AbortController>()
fault.start?.()

let rest = ''
process.stdin.setEncoding('utf8').on('data', (chunk: string) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()!
  // One at a time, so that what a tool has answered is sent before the next one blocks the server.
  for (const line of lines) if (line.trim() !== '') setImmediate(receive, JSON.parse(line))
})
process.stdin.on('end', () => {
  if (fault.staysAfterEnd !== true) process.exit(0)
})

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function receive(message: Message): void {
  recordEvent(
    `received ${message.method ?? 'response'}`,
    message.params?.requestId ?? message.params?.name ?? null,
  )
  if (fault.receive?.(message, send) === true) return
  const { id, method, params = {} } = message
  const reply = (result: object): void => send({ id, result })
  switch (method) {
    case 'initialize':
      return reply({
        protocolVersion: params.protocolVersion ?? '2025-11-25',
        capabilities: { tools: { listChanged: true } },
        serverInfo: { name: 'torture', version: '1.0.0' },
      })
    case 'ping':
      return reply({})
    case 'tools/list':
      return reply({ tools: served.map(toDefinition) })
    case 'tools/call':
      void call(id, params as { name: string }, send)
      return
    case 'notifications/cancelled':
      running.get(params.requestId)?.abort(new Error('cancelled by the client'))
      return
  }
  if (id !== undefined && method !== undefined)
    send({ id, error: { code: -32601, message: `unknown method ${method}` } })
}

function toDefinition({ name, description, parameters, readOnly }: TortureTool): object {
  return {
    name,
    description,
    inputSchema: schemas[name] ?? parameters,
    annotations: { readOnlyHint: readOnly },
  }
}

async function call(
  id: unknown,
  {
    name,
    arguments: args = {},
    _meta: meta,
  }: { name: string; arguments?: object; _meta?: { progressToken?: unknown } },
  reply: (message: object) => void,
): Promise<void> {
  const tool = served.find((one) => one.name === name)
  if (tool === undefined) return reply({ id, error: { code: -32602, message: `unknown tool ${name}` } })
  const controller = new AbortController()
  running.set(id, controller)
  const context: ToolContext = {
    signal: controller.signal,
    output: (data) => send({ method: 'notifications/message', params: { level: 'info', data } }),
    progress: (progress) => {
      if (meta?.progressToken === undefined) return
      send({ method: 'notifications/progress', params: { progressToken: meta.progressToken, progress } })
    },
    call: () => Promise.reject(new Error('a server cannot call tools')),
  }
  const content = (text: string, isError: boolean): void =>
    reply({ id, result: { content: [{ type: 'text', text }], isError } })
  try {
    recordEvent('execute', name)
    const value = await tool.execute(args as never, context)
    content(toText(value), false)
  } catch (error) {
    content(messageOf(error), true)
  } finally {
    running.delete(id)
  }
}

/** As the author of a server would write it: what the cases are about is the product. */
function toText(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array)
    return `${value.length} bytes, in base64: ${Buffer.from(value).toString('base64')}`
  return value instanceof Error ? String(value) : (JSON.stringify(value) ?? String(value))
}

/** A tool may throw anything; the server has to survive it. */
function messageOf(error: unknown): string {
  try {
    const { message } = Object(error)
    if (typeof message === 'object') return JSON.stringify(message)
    return typeof message === 'string' && message !== '' ? message : String(error)
  } catch {
    return 'an error that cannot be described'
  }
}

/** This process as the suite sees it: a product may have started it in a namespace, where it has another pid. */
function ownProcess(): Process {
  const stat = readFileSync('/proc/self/stat', 'latin1')
  return { pid: Number.parseInt(stat, 10), startTime: stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]! }
}
