import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** An MCP server on stdin and stdout that lists the tools of a file, and has no others. usage: listed-server.ts FILE */
const { tools } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as { readonly tools: readonly unknown[] }

interface Message {
  readonly id?: number | string
  readonly method?: string
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method } = JSON.parse(line) as Message
  if (id === undefined) continue
  const answer = answerTo(method)
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}

function answerTo(method: string | undefined): object {
  if (method === 'tools/list') return { result: { tools } }
  if (method === 'ping') return { result: {} }
  if (method !== 'initialize') return { error: { code: -32_601, message: 'Method not found' } }
  const serverInfo = { name: 'listed', version: '1' }
  return { result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } }
}
