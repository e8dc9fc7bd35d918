import { systemClock } from '@curfew/core/internal'
import type { ServerContext } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { ClientRequest, type ClientRequestHost } from './client-request.ts'

const host: ClientRequestHost = {
  era: 'modern',
  clock: systemClock,
  capabilities: { elicitation: { form: {} } },
  logLevel: undefined,
  client: {},
  lasting: true,
  isListening: true,
  connectionFor: (_, upstream) => upstream,
  beforeSend: async () => {},
  onSent: () => () => {},
  sendLog: () => {},
  park: () => {},
  unpark: () => {},
}

/** As much of a request as an exchange looks at. */
function request(inputResponses = {}): ServerContext {
  return { mcpReq: { signal: new AbortController().signal, inputResponses } } as unknown as ServerContext
}

test('a question that is taken back leaves the other one open', async () => {
  const exchange = new ClientRequest(host, request(), 'tools/call two')
  const stop = new AbortController()
  const never = new AbortController().signal
  const first = await exchange.run(async () => {
    const [one, two] = [stop.signal, never].map((signal, index) =>
      exchange.ask('elicitation/create', { mode: 'form', message: `${index}` }, signal),
    )
    await one!.catch(() => {})
    return await two
  })
  const [, key] = Object.keys((first as { inputRequests: object }).inputRequests)
  stop.abort()
  expect(await exchange.resume(request({ [key!]: { action: 'accept', content: {} } }))).toMatchObject({
    action: 'accept',
  })
})
