import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApis } from './support/api-files.ts'
import type { Seen } from './support/api-server.ts'

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const tracestate = 'vendor=1'
const apis = useApis()

beforeEach(() => {
  apis.files.runtime.use((call, next) => {
    call.setTraceContext({ traceparent, tracestate })
    return next()
  })
})

const traceHeaders = ({ headers }: Seen) => [headers.traceparent, headers.tracestate, headers.baggage]

describe('the trace context of a call', () => {
  test('is sent to the API, also after a redirect', async () => {
    const server = await apis.serve(({ path }, response) => {
      if (path === '/old') response.writeHead(302, { location: '/new' })
      response.end('{}')
    })
    await apis.files.send({ url: `${server.url}/old` })
    expect(server.seen.map(traceHeaders)).toEqual([
      [traceparent, tracestate, undefined],
      [traceparent, tracestate, undefined],
    ])
  })

  test('does not replace a header of the file', async () => {
    const server = await apis.serve()
    const own = traceparent.replace('4bf9', 'aaaa')
    await apis.files.send({ url: server.url, headers: { TraceParent: own } })
    expect(traceHeaders(server.seen[0]!)).toEqual([own, undefined, undefined])
  })

  test('is left to an instrumentation of undici, which would add it a second time', async () => {
    const server = await apis.serve()
    const added = traceparent.replace('4bf9', 'bbbb')
    // As in @opentelemetry/instrumentation-undici.
    const instrument = (message: unknown): void =>
      (message as { request: { addHeader(name: string, value: string): void } }).request.addHeader(
        'traceparent',
        added,
      )
    subscribe('undici:request:create', instrument)
    try {
      await apis.files.send({ url: server.url })
    } finally {
      unsubscribe('undici:request:create', instrument)
    }
    expect(traceHeaders(server.seen[0]!)).toEqual([added, undefined, undefined])
  })
})
