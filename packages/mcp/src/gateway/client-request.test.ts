import { systemClock } from '@curfew/core/internal'
import type { ServerContext } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { ClientRequest, type RequestingClient, type RequestServices } from './client-request.ts'
import { Scope } from './scope.ts'
import { SuspendedRequests } from './suspended-requests.ts'

const client: RequestingClient = {
  era: 'modern',
  capabilities: { elicitation: { form: {} } },
  logLevel: undefined,
  client: {},
  scope: new Scope(null),
  instanceOwner: {},
  lasting: true,
  isListening: true,
  owner: {},
  sendLog: () => {},
  send: () => {},
}

/** The parts of a request's context that are used. */
function contextOf(inputResponses = {}): ServerContext {
  return { mcpReq: { signal: new AbortController().signal, inputResponses } } as unknown as ServerContext
}

test('a question that is withdrawn leaves the other one open', async () => {
  const suspended = new SuspendedRequests(systemClock, 60_000)
  const services = { clock: systemClock, suspended } as unknown as RequestServices
  const request = new ClientRequest(client, services, contextOf(), { subject: 'tools/call two' })
  const stop = new AbortController()
  const never = new AbortController().signal
  const first = await request.run(async () => {
    const [one, two] = [stop.signal, never].map((signal, index) =>
      request.ask('elicitation/create', { mode: 'form', message: `${index}` }, signal),
    )
    await one!.catch(() => {})
    return await two
  })
  const [, key] = Object.keys((first as { inputRequests: object }).inputRequests)
  stop.abort()
  expect(await request.resume(contextOf({ [key!]: { action: 'accept', content: {} } }))).toMatchObject({
    action: 'accept',
  })
})
