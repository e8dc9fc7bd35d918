import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Adapter, adapterTimeouts } from './adapter-timeouts.ts'
import { resolveTimeout, type TimeoutInputs } from './resolve-timeout.ts'

describe('resolveTimeout', () => {
  test.each([
    ['builtin', 60_000, 'adapter'],
    ['function', 180_000, 'default'],
    ['script', 300_000, 'adapter'],
    ['api', 60_000, 'adapter'],
    ['mcp-http', 60_000, 'adapter'],
    ['mcp-stdio', 60_000, 'adapter'],
    ['subagent', 600_000, 'adapter'],
    ['external-agent', 600_000, 'adapter'],
    ['cross-review', 900_000, 'adapter'],
    ['plan', 300_000, 'adapter'],
    ['transcribe', 300_000, 'adapter'],
    ['image', 900_000, 'adapter'],
    ['background', 28_800_000, 'adapter'],
  ] as const)('%s defaults to %i ms', (adapter, timeoutMs, source) => {
    expect(resolveTimeout({ adapter })).toEqual({ timeoutMs, source })
  })

  test('precedence: call > tools > tool > timeouts > toolCallTimeout > adapter default', () => {
    const inputs = {
      adapter: 'api',
      call: 1,
      tools: 2,
      tool: 3,
      timeouts: { api: 4 },
      toolCallTimeout: 5,
    } as const
    const sources: string[] = []
    for (const drop of ['call', 'tools', 'tool', 'timeouts', 'toolCallTimeout', null] as const) {
      sources.push(resolveTimeout(inputs).source)
      if (drop !== null) delete (inputs as Partial<typeof inputs>)[drop]
    }
    expect(sources).toEqual(['call', 'tools', 'tool', 'timeouts', 'toolCallTimeout', 'adapter'])
  })

  test.each([
    ['script', 60_000, 300_000, 'adapter'],
    ['script', 300_000, 300_000, 'adapter'],
    ['script', 600_000, 600_000, 'toolCallTimeout'],
    ['subagent', 200_000, 600_000, 'adapter'],
    ['background', 60_000, 28_800_000, 'adapter'],
    ['api', 90_000, 90_000, 'toolCallTimeout'],
    ['api', 30_000, 30_000, 'toolCallTimeout'],
    ['builtin', 1_000, 1_000, 'toolCallTimeout'],
    ['function', 1_000, 1_000, 'toolCallTimeout'],
  ] as const)(
    'toolCallTimeout only raises a default above 180 s: %s with %i ms',
    (adapter, toolCallTimeout, timeoutMs, source) => {
      expect(resolveTimeout({ adapter, toolCallTimeout })).toEqual({ timeoutMs, source })
    },
  )

  test('the row of an adapter in timeouts may lower a long default', () => {
    expect(
      resolveTimeout({ adapter: 'script', timeouts: { script: 1_000 }, toolCallTimeout: 600_000 }),
    ).toEqual({
      timeoutMs: 1_000,
      source: 'timeouts',
    })
  })

  test('reports what was requested and what shortened it, also for tools', () => {
    expect(resolveTimeout({ adapter: 'api', tools: 900_000, maxToolCallTimeout: 100_000 })).toEqual({
      timeoutMs: 100_000,
      source: 'maxToolCallTimeout',
      requested: { timeoutMs: 900_000, source: 'tools' },
    })
  })

  test.each(['mcp-stdio', 'mcp-http'] as const)('reports the server as the source for %s', (adapter) => {
    expect(resolveTimeout({ adapter, tool: 2 })).toEqual({ timeoutMs: 2, source: 'server' })
  })

  test('applies caps and reports the requested timeout', () => {
    expect(resolveTimeout({ adapter: 'api', call: 600_000 })).toEqual({
      timeoutMs: 300_000,
      source: 'adapterCap',
      requested: { timeoutMs: 600_000, source: 'call' },
    })
    expect(resolveTimeout({ adapter: 'subagent', tool: 9_999_999 })).toMatchObject({ timeoutMs: 3_600_000 })
    expect(resolveTimeout({ adapter: 'script', maxToolCallTimeout: 5 })).toMatchObject({
      timeoutMs: 5,
      source: 'maxToolCallTimeout',
    })
    expect(resolveTimeout({ adapter: 'script', maxToolCallTimeout: 5, parentRemaining: 3 })).toMatchObject({
      timeoutMs: 3,
      source: 'parent',
      requested: { timeoutMs: 300_000, source: 'adapter' },
    })
  })

  test('names the maximum of subagents, unless something else is shorter', () => {
    const inputs = { adapter: 'subagent', tools: 20_000, maxSubagentTimeout: 3_000 } as const
    expect(resolveTimeout(inputs)).toEqual({
      timeoutMs: 3_000,
      source: 'maxSubagentTimeout',
      requested: { timeoutMs: 20_000, source: 'tools' },
    })
    expect(resolveTimeout({ ...inputs, tools: 2_000 })).toEqual({ timeoutMs: 2_000, source: 'tools' })
    expect(resolveTimeout({ ...inputs, parentRemaining: 5 })).toMatchObject({ source: 'parent' })
    expect(resolveTimeout({ ...inputs, tools: 9_999_999, maxSubagentTimeout: 5_400_000 })).toMatchObject({
      timeoutMs: 3_600_000,
      source: 'adapterCap',
    })
  })

  test('never exceeds any cap or the requested timeout', () => {
    const ms = fc.integer({ min: 1, max: 10_000_000 })
    const optional = fc.option(ms, { nil: undefined })
    fc.assert(
      fc.property(
        fc.record({
          adapter: fc.constantFrom(...(Object.keys(adapterTimeouts) as Adapter[])),
          call: optional,
          tools: optional,
          tool: optional,
          toolCallTimeout: optional,
          maxToolCallTimeout: optional,
          parentRemaining: optional,
        }),
        (inputs: TimeoutInputs) => {
          const { timeoutMs, requested } = resolveTimeout(inputs)
          const caps = [
            adapterTimeouts[inputs.adapter].capMs,
            inputs.maxToolCallTimeout,
            inputs.parentRemaining,
          ]
          for (const cap of caps) if (cap != null) expect(timeoutMs).toBeLessThanOrEqual(cap)
          if (requested) expect(timeoutMs).toBeLessThan(requested.timeoutMs)
        },
      ),
    )
  })
})
