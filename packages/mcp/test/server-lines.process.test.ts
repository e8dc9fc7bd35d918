import { expect, test } from 'vitest'
import { call } from './helpers/hostile.ts'
import { slackMs, stage, stillFine, toolNames } from './helpers/stage.ts'

test(
  'an invalid response fails only its call, immediately',
  () =>
    stage(
      'odd-answers',
      async ({ gateway }) => {
        await toolNames(gateway)
        await stillFine(gateway)
        for (const [pad, problem] of [
          ['a deep result', /nested more than 200 levels deep/],
          ['a deep _meta', /nested more than 200 levels deep/],
          ['a deep error', /nested more than 200 levels deep/],
          ['deep data of an error', /nested more than 200 levels deep/],
          ['a result that is an array', /expected "result" to be an object/],
          ['a result that is a string', /expected "result" to be an object/],
          ['a _meta that is a number', /and its "_meta" as well/],
          ['an error without a message', /expected "error" to have a whole number as "code"/],
          ['an error whose code is a string', /expected "error" to have a whole number as "code"/],
          ['a result and an error', /expected either a result \(an object\) or an error/],
          ['half a response', /it is not JSON/],
          ['a response of 11 MiB', /expected at most 10485760 bytes, got \d+/],
        ] as const) {
          const { code, text, ms } = await call(gateway, 'mcp__hostile__act', { params: { pad } })
          expect([pad, code]).toEqual([pad, 'INVALID_RESULT'])
          expect(text).toMatch('the MCP server hostile sent an invalid response: ')
          expect(text).toMatch(problem)
          expect(ms).toBeLessThan(slackMs)
          await stillFine(gateway)
        }
      },
      { timeout: 30_000 },
    ),
  60_000,
)

test(
  'an invalid message affects neither an open call nor the gateway',
  () =>
    stage(
      'odd-messages',
      async ({ gateway }) => {
        await toolNames(gateway)
        for (const pad of [
          'an id that cannot be converted',
          'the same without a version',
          'an array as id',
          'an empty id, which would be 0',
          'an id out of range',
          'an error for no request',
          'a log line with the id of the call',
          'a request of 11 MiB with the id of the call',
          'a deep request with the id of the call',
          'a deep question',
          'an invalid question',
          'an invalid sampling request',
          'invalid progress',
          'progress out of range',
          'deep progress',
          'an invalid log message',
          'a deep log message',
          'a cancelled object',
          'a change of an object',
          'a batch',
          'prototypes',
          'NUL and broken UTF-8',
        ]) {
          const onprogress = (): void => {}
          const ended = await call(gateway, 'mcp__hostile__act', { params: { pad }, onprogress })
          expect([pad, ended.text]).toEqual([pad, 'done'])
        }
        expect(gateway.stderr()).toMatch(/reported an error without the id of a request: no/)
        expect(gateway.stderr()).toMatch(/sent an invalid request: it is nested more than 200 levels deep/)
      },
      { timeout: 30_000 },
      { capabilities: { elicitation: {}, sampling: {} } },
    ),
  60_000,
)
