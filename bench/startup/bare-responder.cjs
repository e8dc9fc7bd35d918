// The least that a stdio server can do: it answers `initialize` and `tools/list` by hand.
const tool = { name: 'echo', description: 'Echo', inputSchema: { type: 'object' } }
const results = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'bare', version: '1' },
  },
  'tools/list': { tools: [tool] },
}

let rest = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\n')
  rest = lines.pop()
  for (const line of lines) {
    const { id, method } = JSON.parse(line)
    const result = results[method]
    if (result !== undefined) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
  }
})
