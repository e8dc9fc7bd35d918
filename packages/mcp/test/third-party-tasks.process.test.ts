import { expect, test } from 'vitest'
import { startGateway } from './helpers/gateway.ts'
import { legacy, modern } from './helpers/http-gateway.ts'
import { thirdPartyHome } from './helpers/third-party.ts'

test.each([
  ['2025', legacy],
  ['2026', modern],
])(
  'a %s client without tasks calls a tool of the reference server that requires one',
  async (_, options) => {
    await using home = await thirdPartyHome()
    const asked: string[] = []
    await using gateway = await startGateway(home, {
      ...options,
      capabilities: { elicitation: { form: {} } },
      prepare: (client) =>
        client.setRequestHandler('elicitation/create', ({ params }) => {
          asked.push(params.message)
          return { action: 'accept', content: { interpretation: 'snake' } }
        }),
    })
    const messages: (string | undefined)[] = []
    const result = await gateway.client.callTool(
      {
        name: 'mcp__everything__simulate-research-query',
        arguments: { topic: 'python', ambiguous: true },
      },
      { onprogress: ({ message }) => messages.push(message), timeout: 60_000 },
    )
    expect(JSON.stringify(result.content)).toContain('Research Report: python (snake)')
    expect(asked).toEqual([expect.stringContaining('python')])
    expect(messages).toContain('Gathering sources...')
  },
  120_000,
)
