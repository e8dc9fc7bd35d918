import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Answer, type CallResult, createRuntime, type Question, type Vault } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { upstreamTools } from '../src/client/tools/upstream-tools.ts'
import { type StdioUpstreamOptions, stdioUpstream } from './helpers/stdio-upstream.ts'

const oldKey = 'an-old-key'
const newKey = 'right-key'

/** A server that rejects its key, behind a runtime that can ask a person. */
async function setUp({
  answer = { secret: newKey },
  ...options
}: StdioUpstreamOptions & { answer?: Answer | null } = {}) {
  let key = oldKey
  const vault: Vault = {
    canStore: true,
    read: async () => ({ kind: 'found', value: key }),
    async store(_name, value) {
      key = value
    },
    async allow() {},
  }
  const opened = await stdioUpstream({
    mode: 'checks-its-key',
    readSecret: async () => key,
    ...options,
    settings: { trust: true, timeoutMs: 30_000, ...options.settings },
  })
  const { upstream } = opened
  const questions: Question[] = []
  const runtime = createRuntime({
    approval: 'allow',
    log: () => {},
    vault,
    ask: (question) => {
      questions.push(question)
      return answer ?? undefined
    },
  })
  // A server that cannot be started has no tools yet.
  await upstream.connect(new AbortController().signal).catch(() => {})
  runtime.register(upstreamTools(upstream).map(({ tool }) => tool))
  onTestFinished(() => runtime.close())
  let ids = 0
  const act = async (pad = '', signal?: AbortSignal): Promise<CallResult> => {
    const call = { id: `${++ids}`, name: 'mcp__server__act', params: { pad } }
    const [result] = await runtime.execute([call], { signal })
    return result!
  }
  const pids = (): readonly number[] => opened.recorded('start').map(({ pid }) => pid)
  const calls = (): number => opened.recorded('tools/call').length
  return { ...opened, runtime, questions, act, pids, calls, setKey: (value: string) => (key = value) }
}

test.each(['', 'reject'])(
  'a server that rejects its key gets a new process with the new key (%j)',
  async (pad) => {
    const { act, questions, pids, calls, running, logged } = await setUp()
    const result = await act(pad)
    expect(pids()).toHaveLength(2)
    expect(result).toMatchObject({ status: 'success', content: `done by ${pids()[1]}` })
    expect(calls()).toBe(2)
    expect(questions).toMatchObject([
      { kind: 'secret', key: 'KEY', reason: 'rejected', use: 'tool:mcp__server' },
    ])
    expect(questions[0]!.message).toMatch(
      /the MCP server server reports .+ Enter KEY for your MCP server server:$/,
    )
    expect(logged).toContain('the MCP server server is restarted with its new key')
    // The old process has no open calls.
    await until(() => running().length === 1)
    expect(running()).toEqual([pids()[1]])
  },
)

test('the old process finishes its calls and is stopped', async () => {
  const { act, upstream, pids, calls, running } = await setUp()
  const release = join(upstream.config.root, 'release')
  const pending = act(`hold:${release}`)
  await until(() => calls() === 1)
  expect(await act()).toMatchObject({ status: 'success', content: `done by ${pids()[1]}` })
  expect(await act()).toMatchObject({ status: 'success', content: `done by ${pids()[1]}` })
  expect(running().toSorted()).toEqual([...pids()].toSorted())
  await writeFile(release, '')
  expect(await pending).toMatchObject({ status: 'success', content: `done by ${pids()[0]}` })
  await until(() => running().length === 1)
  expect(running()).toEqual([pids()[1]])
})

test('the old process is stopped after its last call, however that ends', async () => {
  const { act, calls, pids, running } = await setUp()
  const controller = new AbortController()
  const pending = act('hold:/no/such/file', controller.signal)
  await until(() => calls() === 1)
  expect(await act()).toMatchObject({ status: 'success' })
  expect(running()).toHaveLength(2)
  controller.abort()
  expect(await pending).toMatchObject({ status: 'cancelled' })
  await until(() => running().length === 1)
  expect(running()).toEqual([pids()[1]])
})

test('close stops a process with an open call, and its replacement', async () => {
  const { act, upstream, calls, running } = await setUp()
  const pending = act('hold:/no/such/file')
  await until(() => calls() === 1)
  expect(await act()).toMatchObject({ status: 'success' })
  expect(running()).toHaveLength(2)
  await upstream.close()
  expect(running()).toEqual([])
  expect(await pending).toMatchObject({ status: 'error', code: 'TRANSPORT_FAILED' })
})

test('a call that may have had effects is not repeated; the next one uses the new process', async () => {
  const { act, questions, pids, calls } = await setUp({ settings: { trust: false } })
  const result = await act()
  expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY', retrySafe: false })
  expect(result.content).toContain('The secret KEY has been replaced since. mcp__server__act was not retried')
  expect({ calls: calls(), questions: questions.length }).toEqual({ calls: 1, questions: 1 })
  expect(await act()).toMatchObject({ status: 'success', content: `done by ${pids()[1]}` })
})

test('concurrent calls with a rejected key share one question and one new process', async () => {
  const { runtime, questions, pids } = await setUp()
  const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'mcp__server__act', params: { pad: '' } }))
  const results = await Promise.all(calls.map((call) => runtime.execute([call])))
  expect(results.flat().map(({ content }) => content)).toEqual(Array(3).fill(`done by ${pids()[1]}`))
  expect({ questions: questions.length, processes: pids().length }).toEqual({ questions: 1, processes: 2 })
})

test('without a person to ask, the server keeps running and its message is reported', async () => {
  const { act, pids } = await setUp({ answer: null })
  for (let calls = 0; calls < 3; calls++) {
    const result = await act()
    expect(result).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY' })
    expect(result.content).toContain('the API key is not valid')
    expect(result.content).toContain('curfew secret set KEY --for mcp__server')
  }
  expect(pids()).toHaveLength(1)
})

test('a key that was replaced elsewhere is used for the next call', async () => {
  const { act, pids, setKey } = await setUp({ answer: 'no' })
  expect(await act()).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
  setKey(newKey)
  expect(await act()).toMatchObject({ status: 'success', content: `done by ${pids()[1]}` })
})

test('a new key that is rejected too leads to two questions, then the error', async () => {
  const { act, questions, pids } = await setUp({ answer: { secret: 'another-wrong-key' } })
  expect(await act()).toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY' })
  expect(questions).toHaveLength(2)
  // The second answer was the same key, so the server is not restarted.
  expect(pids()).toHaveLength(2)
})

test('a server that exits at startup because of its key is restarted immediately with another key', async () => {
  const { upstream, running } = await setUp({ mode: 'starts-only-with-its-key' })
  const { signal } = new AbortController()
  // Often enough that restarts are delayed.
  for (let starts = 0; starts < 5; starts++)
    await expect(upstream.connect(signal)).rejects.toMatchObject({ code: 'CREDENTIAL_REQUIRED', key: 'KEY' })
  expect(upstream.problem?.message).toMatch(/reports that its secret KEY was rejected: .+invalid API key/s)
  await upstream.connect(signal, async () => newKey)
  expect(running()).toHaveLength(1)
})
