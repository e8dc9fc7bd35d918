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
  ] as const)('%s defaults to %i ms', (adapter, timeoutMs, source) => {
    expect(resolveTimeout({ adapter })).toEqual({ timeoutMs, source })
  })

  test('precedence: call > tool > timeouts > toolCallTimeout > adapter default', () => {
    const inputs = {
      adapter: 'script',
      call: 1,
      tool: 2,
      timeouts: { script: 3 },
      toolCallTimeout: 4,
    } as const
    const sources: string[] = []
    for (const drop of ['call', 'tool', 'timeouts', 'toolCallTimeout', null] as const) {
      sources.push(resolveTimeout(inputs).source)
      if (drop !== null) delete (inputs as Partial<typeof inputs>)[drop]
    }
    expect(sources).toEqual(['call', 'tool', 'timeouts', 'toolCallTimeout', 'adapter'])
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

  test('never exceeds any cap or the requested timeout', () => {
    const ms = fc.integer({ min: 1, max: 10_000_000 })
    const optional = fc.option(ms, { nil: undefined })
    fc.assert(
      fc.property(
        fc.record({
          adapter: fc.constantFrom(...(Object.keys(adapterTimeouts) as Adapter[])),
          call: optional,
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
