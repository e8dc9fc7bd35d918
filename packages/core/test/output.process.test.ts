import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, defineTool, type Runtime, type ToolContext } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

type OutputEvent = Parameters<Parameters<Runtime['onOutput']>[0]>[0]

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-output-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const anything = { description: 'Emit output.', parameters: { type: 'object' }, readOnly: true } as const

/** A runtime with one tool that is driven by the test. */
function setUp(
  execute: (context: ToolContext) => unknown,
  options: Parameters<typeof createRuntime>[0] = {},
): { runtime: Runtime; events: OutputEvent[]; messages: string[] } {
  const messages: string[] = []
  const runtime = createRuntime({
    log: ({ message }) => messages.push(message),
    spillDirectory: folder,
    ...options,
  })
  const events: OutputEvent[] = []
  runtime.onOutput((event) => events.push(event))
  runtime.register(
    defineTool({ ...anything, name: 'emit', execute: (_params, context) => execute(context) }),
    defineTool({ ...anything, name: 'quiet', concurrent: true, execute: () => 'nothing' }),
  )
  return { runtime, events, messages }
}

async function readAll(runtime: Runtime, uid: number): Promise<string> {
  let text = ''
  for (let next = 0; ; ) {
    const read = await runtime.readOutput(uid, next)
    expect(read).toMatchObject({ offset: next })
    if (read!.next === next) return text
    text += read!.text
    next = read!.next
  }
}

describe('live output', () => {
  test('every byte of 300,000 characters can be read back while the call runs and after it has ended', async () => {
    let whole = ''
    for (let line = 0; whole.length < 300_000; line++) whole += `${line} é€😀 line\n`
    const bytes = Buffer.from(whole)
    let whileRunning = ''
    const { runtime, events } = setUp(async ({ output, uid }) => {
      // The chunks split characters at every possible byte.
      for (let at = 0, size = 1; at < bytes.length; at += size, size = (size * 7 + 1) % 9_973)
        output(bytes.subarray(at, at + size))
      whileRunning = await readAll(runtime, uid)
      return 'done'
    })
    const [result] = await runtime.execute([{ id: 'a', name: 'emit' }])
    expect(result).toMatchObject({ status: 'success' })
    const { uid, outputLength, outputBytes } = runtime.getSnapshot().calls[0]!
    expect(whileRunning).toBe(whole)
    expect(await readAll(runtime, uid)).toBe(whole)
    expect({ outputLength, outputBytes }).toEqual({ outputLength: whole.length, outputBytes: bytes.length })
    expect(events.map(({ text }) => text).join('')).toBe(whole)
    let next = 0
    for (const { offset, text, stream } of events) {
      expect({ offset, stream }).toEqual({ offset: next, stream: 'stdout' })
      next = offset + text.length
    }
    const { path } = (await runtime.readOutput(uid))!
    expect(readFileSync(path!, 'utf8')).toBe(whole)
    expect(statSync(path!).mode & 0o777).toBe(0o600)
    await runtime.close()
    expect(readdirSync(folder)).toEqual([])
  })

  test('secrets are redacted in events, in reads and in the file, however the chunks split them', async () => {
    const secret = 'hunter2-hunter2-hunter2'
    const { runtime, events } = setUp(({ output }) => {
      for (let round = 0; round < 3_000; round++) {
        const line = `key=${secret}; `
        const cut = round % line.length
        output(line.slice(0, cut))
        output(line.slice(cut))
      }
    })
    runtime.hideSecret('KEY', secret)
    await runtime.execute([{ id: 'a', name: 'emit' }])
    const { uid } = runtime.getSnapshot().calls[0]!
    const text = await readAll(runtime, uid)
    expect(text).toBe('key=[secret KEY]; '.repeat(3_000))
    expect(events.map((event) => event.text).join('')).toBe(text)
    expect(readFileSync((await runtime.readOutput(uid))!.path!, 'utf8')).toBe(text)
    await runtime.close()
  })

  test('no event ends within a surrogate pair, and streams are kept apart', async () => {
    const { runtime, events } = setUp(({ output }) => {
      output('a\ud83d')
      output('error', 'stderr')
      output('\ude00b')
      output('\ud83d')
    })
    await runtime.execute([{ id: 'a', name: 'emit' }])
    expect(events.map(({ stream, text, offset }) => [stream, text, offset])).toEqual([
      ['stdout', 'a', 0],
      ['stderr', 'error', 1],
      ['stdout', '😀b', 6],
      ['stdout', '\ufffd', 9],
    ])
    await runtime.close()
  })

  test('a call without output, an unknown call and an invalid offset', async () => {
    const { runtime } = setUp(() => 'nothing')
    await runtime.execute([{ id: 'a', name: 'emit' }])
    const { uid } = runtime.getSnapshot().calls[0]!
    expect(await runtime.readOutput(uid)).toMatchObject({ text: '', next: 0, length: 0, ended: true })
    expect(await runtime.readOutput(99)).toBe(null)
    await expect(runtime.readOutput(uid, -1)).rejects.toMatchObject({ code: 'INVALID_OPTION', field: 'from' })
    await expect(runtime.readOutput(uid, Number.NaN)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    await runtime.close()
  })

  test('the file is removed when the call is no longer kept', async () => {
    const { runtime } = setUp(({ output }) => output('x'.repeat(20_000)), {
      limits: { callsPerTurn: 10_000 },
    })
    await runtime.execute([{ id: 'a', name: 'emit' }])
    const { uid } = runtime.getSnapshot().calls[0]!
    const { path } = (await runtime.readOutput(uid))!
    await runtime.execute(Array.from({ length: 1_000 }, (_, index) => ({ id: `q${index}`, name: 'quiet' })))
    await expect.poll(() => existsSync(path!), { timeout: 20_000 }).toBe(false)
    expect(await runtime.readOutput(uid)).toBe(null)
    await runtime.close()
  })

  test('output after the end is counted and never delivered', async () => {
    const clock = createFakeClock()
    let late = (): void => {}
    const { runtime, events } = setUp(
      ({ output }) => {
        output('in time')
        late = () => output('too late')
        return 'done'
      },
      { clock },
    )
    await clock.runUntil(runtime.execute([{ id: 'a', name: 'emit' }]))
    late()
    const { uid } = runtime.getSnapshot().calls[0]!
    expect(await runtime.readOutput(uid)).toMatchObject({ text: 'in time', ended: true })
    expect(events.map(({ text }) => text)).toEqual(['in time'])
    expect(runtime.getSnapshot().late.lateOutputs).toBe(1)
  })

  test('with a disk that fails, calls still succeed, and that is logged once', async () => {
    const file = join(folder, 'not-a-directory')
    writeFileSync(file, '')
    const { runtime, messages } = setUp(({ output }) => output('y'.repeat(50_000)), { spillDirectory: file })
    for (const id of ['a', 'b']) {
      const [result] = await runtime.execute([{ id, name: 'emit' }])
      expect(result).toMatchObject({ status: 'success', output: 'y'.repeat(50_000) })
    }
    expect(messages.filter((message) => message.includes('live output'))).toHaveLength(1)
    const { uid } = runtime.getSnapshot().calls[1]!
    expect(await runtime.readOutput(uid)).toMatchObject({ length: 50_000, dropped: 50_000 - 16_384 })
    await runtime.close()
  })

  test('a retry with another key continues the offsets', async () => {
    const keys = ['wrong', 'right']
    const runtime = createRuntime({
      log: () => {},
      ask: () => ({ secret: 'new-value' }),
      vault: {
        canStore: true,
        async read() {
          return { kind: 'found', value: `${keys[0]}-value` }
        },
        async store() {
          keys.shift()
        },
      } as never,
    })
    runtime.register(
      defineTool({
        ...anything,
        name: 'fetch',
        secrets: ['KEY'],
        async execute(_params, { output, secret }) {
          const key = await secret('KEY')
          output(key.startsWith('right') ? 'second attempt' : 'first attempt')
          if (!key.startsWith('right')) throw Object.assign(new Error('401 Unauthorized'), { status: 401 })
          return 'done'
        },
      }),
    )
    const [result] = await runtime.execute([{ id: 'a', name: 'fetch' }])
    expect(result).toMatchObject({ status: 'success', output: 'second attempt' })
    const row = runtime.getSnapshot().calls[0]!
    expect(row).toMatchObject({ heals: 1, outputTail: 'second attempt', outputLength: 27 })
    expect(await runtime.readOutput(row.uid)).toMatchObject({
      text: 'first attemptsecond attempt',
      attempts: [0, 13],
    })
    await runtime.close()
  })

  test('a listener that throws is reported and affects nothing; an unsubscribed one is not called', async () => {
    const { runtime, events, messages } = setUp(({ output }) => output('text'))
    runtime.onOutput(() => {
      throw new Error('broken')
    })()
    const unsubscribe = runtime.onOutput(() => {
      throw new Error('broken')
    })
    await runtime.execute([{ id: 'a', name: 'emit' }])
    unsubscribe()
    await runtime.execute([{ id: 'b', name: 'emit' }])
    expect(messages.filter((message) => message === 'an output listener failed')).toHaveLength(1)
    expect(events).toHaveLength(2)
    await runtime.close()
  })

  test('a flood of output neither grows memory nor delays the deadline of another call', async () => {
    const chunk = 'z'.repeat(65_536)
    const { runtime } = setUp(async ({ output, signal }) => {
      // About 500 MB, with a turn of the event loop after each megabyte.
      for (let megabyte = 0; megabyte < 500 && !signal.aborted; megabyte++) {
        for (let index = 0; index < 16; index++) output(chunk)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })
    runtime.onOutput(() => {})
    runtime.register(
      defineTool({
        ...anything,
        name: 'hang',
        timeout: 100,
        execute: (_params, { signal }) =>
          new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true })),
      }),
    )
    const before = process.memoryUsage().rss
    const flooding = runtime.execute([{ id: 'flood', name: 'emit' }])
    const [hung] = await runtime.execute([{ id: 'hang', name: 'hang' }])
    expect(hung).toMatchObject({ code: 'TOOL_TIMEOUT' })
    expect(hung!.durationMs).toBeLessThan(2_000)
    await flooding
    const [flood] = runtime.getSnapshot().calls
    const read = await runtime.readOutput(flood!.uid)
    expect(read!.length).toBe(500 * 16 * 65_536)
    expect(read!.dropped).toBeGreaterThan(0)
    expect(statSync(read!.path!).size).toBeLessThanOrEqual(64 << 20)
    expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20)
    await runtime.close()
  }, 60_000)
})
