import { setEnvironmentData } from 'node:worker_threads'
import { createRuntime, defineTool, type Runtime } from '@curfew/core'
import type { LogEntry } from '@curfew/core/internal'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const module = new URL('./fixtures/thread-floods.js', import.meta.url)
/** More messages of 1,000 characters than fit into the ring buffer, and far fewer than a thread can send in that time. */
const bound = 3_000
/** How many messages the thread has sent. */
const sent = new Int32Array(new SharedArrayBuffer(4))
setEnvironmentData('sent', sent)

let runtime: Runtime
let logged: LogEntry[]

beforeEach(() => {
  logged = []
  runtime = createRuntime({ approval: 'allow', grace: 100, log: (entry) => logged.push(entry) })
  runtime.register(
    defineTool({
      name: 'tick',
      description: 'Tick.',
      parameters: { type: 'object' },
      readOnly: true,
      concurrent: true,
      execute: () => 'tock',
    }),
  )
})

afterEach(() => runtime.close())

function flood(name: string, timeout = 1_000) {
  Atomics.store(sent, 0, 0)
  runtime.register(
    defineTool({
      name,
      description: 'Flood.',
      timeout,
      isolation: 'thread',
      readOnly: true,
      concurrent: true,
      secrets: ['THREAD_FLOOD_KEY'],
      execute: { module, export: name },
    }),
  )
  return runtime.execute([{ id: 'flood', name }])
}

/** Waits until the thread has sent more messages, which must have no effect. */
async function moreMessages(): Promise<void> {
  const before = Atomics.load(sent, 0)
  while (Atomics.load(sent, 0) < before + 500) await new Promise((resolve) => setTimeout(resolve, 20))
}

describe('a thread that floods', () => {
  test.each([
    'output',
    'progress',
    'log',
    'ask',
    'secret',
    'request_secret',
    'execute',
    'console_log',
    'stderr',
  ])('%s waits for the host, starves no other call and ends at its deadline', async (name) => {
    const flooding = flood(name)
    await Promise.race([Atomics.waitAsync(sent, 0, 0).value, flooding])
    const before = Atomics.load(sent, 0)
    // The host does not read during this time, so everything that is sent has to be buffered.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
    expect(Atomics.load(sent, 0) - before).toBeLessThan(bound)
    const [tick] = await runtime.execute([{ id: 'tick', name: 'tick' }])
    expect(tick).toMatchObject({ value: 'tock' })
    const [result] = await flooding
    expect(result).toMatchObject({ code: 'TOOL_TIMEOUT' })
  })

  test('a port that it found ends at its deadline, and the host ignores it', async () => {
    const flooding = flood('found_port')
    const [tick] = await runtime.execute([{ id: 'tick', name: 'tick' }])
    expect(tick).toMatchObject({ value: 'tock' })
    expect((await flooding)[0]).toMatchObject({ code: 'TOOL_TIMEOUT' })
  })

  test('the log is bounded, and reports that the rest was dropped', async () => {
    const flooding = flood('log', 60_000)
    const dropped = () => logged.filter(({ message }) => message.includes('the rest is dropped'))
    while (dropped().length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await moreMessages()
    runtime.cancel('flood')
    await flooding
    expect(dropped()).toHaveLength(1)
    expect(logged.length).toBeLessThan(1_200)
  })

  test('the number of questions is bounded', async () => {
    let asked = 0
    runtime.onQuestion(() => {
      asked++
      return { text: 'yes' }
    })
    const flooding = flood('ask', 60_000)
    while (asked < 100) await new Promise((resolve) => setTimeout(resolve, 20))
    await moreMessages()
    runtime.cancel('flood')
    await flooding
    expect(asked).toBe(100)
  })
})
