import { expect, test } from 'vitest'
import { answerText, sendResult, serveMcp, startFakeServer } from './helpers/fake-server.ts'
import { legacy } from './helpers/http-gateway.ts'
import { type RemoteGatewayOptions, startRemoteGateway } from './helpers/remote-gateway.ts'

/** Calls tools one after another; returns the number of the first call whose result has a notice, or 0 if none has. */
async function firstNotice(options: RemoteGatewayOptions, names: readonly string[]): Promise<number> {
  let polls = 0
  const server = await startFakeServer(
    serveMcp({
      'press-key': answerText('pressed'),
      screenshot: answerText('the same page'),
      poll: (message, response) =>
        sendResult(response, message, { content: [{ type: 'text', text: `${++polls} %` }] }),
      'long-log': (message, response) =>
        sendResult(response, message, { content: [{ type: 'text', text: `${longText}${++polls}` }] }),
      picture: (message, response) => {
        const data = Buffer.from(String(1_000 + ++polls)).toString('base64')
        sendResult(response, message, { content: [{ type: 'image', mimeType: 'image/png', data }] })
      },
      structured: (message, response) =>
        sendResult(response, message, {
          content: [{ type: 'text', text: 'measured' }],
          structuredContent: { value: ++polls },
        }),
    }),
  )
  const client = await (await startRemoteGateway(server.origin, options)).connect(legacy)
  let first = 0
  for (const [index, name] of names.entries()) {
    const { content, isError } = await client.client.callTool({ name: `mcp__remote__${name}` })
    expect(isError).not.toBe(true)
    if (first === 0 && JSON.stringify(content).includes('[curfew]')) first = index + 1
  }
  return first
}

/** Longer than what is kept of a result for the log. */
const longText = 'line\n'.repeat(2_000)
const pressed = (times: number): string[] => Array<string>(times).fill('press-key')
const alternating = pressed(22).map((name, index) => (index % 2 === 0 ? name : 'screenshot'))
const ownNumber = { runtime: { loops: { nudgeAfter: 3, stopAfter: 5 } } }

test.each<[string, number, RemoteGatewayOptions, readonly string[]]>([
  ['identical calls: from the 10th on', 10, {}, pressed(60)],
  ['cycles of two calls: from the 10th cycle on', 20, {}, alternating],
  ['calls whose results differ: never', 0, {}, Array<string>(60).fill('poll')],
  ['results that differ at the end of a long text: never', 0, {}, Array<string>(12).fill('long-log')],
  ['pictures that differ: never', 0, {}, Array<string>(12).fill('picture')],
  ['structured content that differs: never', 0, {}, Array<string>(12).fill('structured')],
  ['with loops: false for the server: never', 0, { settings: { loops: false } }, pressed(12)],
  ['with loops: false in config.json: never', 0, { runtime: { loops: false } }, pressed(12)],
  ['with another number in config.json: from there on', 3, ownNumber, pressed(8)],
])('every call runs, and a notice is added; %s', async (_, expected, options, names) => {
  expect(await firstNotice(options, names)).toBe(expected)
})
