import { afterAll, beforeAll, expect, test } from 'vitest'
import { untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { type Gateway, type Home, startGateway } from './helpers/gateway.ts'
import { call } from './helpers/hostile.ts'
import { knownTools, toolNames } from './helpers/stage.ts'
import { thirdPartyHome } from './helpers/third-party.ts'

/** The servers use the 2025 protocol; the client uses that of 2026, which has no questions during a call. */
let home: Home
let gateway: Gateway

beforeAll(async () => {
  home = await thirdPartyHome()
  gateway = await startGateway(home, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    // Without roots: the reference server requests them at any time, even in the middle of a call.
    capabilities: { sampling: {}, elicitation: { form: {}, url: {} } },
    prepare: (client) => {
      client.setRequestHandler('sampling/createMessage', async () => ({
        role: 'assistant',
        model: 'a-test',
        content: { type: 'text', text: 'because' },
      }))
      client.setRequestHandler('elicitation/create', async ({ params }) =>
        params.mode === 'url'
          ? { action: 'accept' }
          : { action: 'accept', content: { name: 'Ada', check: true } },
      )
    },
  })
})

afterAll(async () => {
  await gateway.close()
  await untilNoneLeft(home.tag).finally(() => home[Symbol.asyncDispose]())
})

test('lists, calls, resources, prompts and completion', async () => {
  const { client } = gateway
  expect(client.getProtocolEra()).toBe('modern')
  expect(await knownTools(gateway, ['everything', 'memory', 'thinking'])).toEqual(
    expect.arrayContaining([
      'mcp__everything__echo',
      'mcp__memory__read_graph',
      'mcp__thinking__sequentialthinking',
    ]),
  )
  expect((await call(gateway, 'mcp__everything__get-sum', { params: { a: 2, b: 40 } })).text).toContain('42')
  const { contents } = await client.readResource({ uri: 'demo://resource/static/document/features.md' })
  expect(JSON.stringify(contents)).toContain('Everything')
  const { prompts } = await client.listPrompts()
  const { name } = prompts.find(({ name }) => name.endsWith('completable-prompt'))!
  const argument = { name: 'department', value: 'S' }
  const { completion } = await client.complete({ ref: { type: 'ref/prompt', name }, argument })
  expect(completion.values).toEqual(['Sales', 'Support'])
})

test('questions during a call are answered', async () => {
  await until(async () => (await toolNames(gateway)).includes('mcp__everything__trigger-sampling-request'))
  const sampled = await call(gateway, 'mcp__everything__trigger-sampling-request', {
    params: { prompt: 'why?' },
  })
  expect(sampled.text).toContain('because')
  expect((await call(gateway, 'mcp__everything__trigger-elicitation-request')).text).toContain('Ada')
})

test('progress and cancellation', async () => {
  const name = 'mcp__everything__trigger-long-running-operation'
  const seen: number[] = []
  const onprogress = ({ progress }: { progress: number }): void => void seen.push(progress)
  const { text } = await call(gateway, name, { params: { duration: 0.5, steps: 5 }, onprogress })
  expect(text).toContain('completed')
  expect(seen.slice(0, 4)).toEqual([1, 2, 3, 4])
  const controller = new AbortController()
  const params = { duration: 30, steps: 300 }
  const calling = call(gateway, name, {
    params,
    signal: controller.signal,
    onprogress: () => controller.abort(),
  })
  await expect(calling).rejects.toThrow()
  expect((await call(gateway, 'mcp__everything__echo', { params: { message: 'next' } })).text).toBe(
    'Echo: next',
  )
})
