import { expect, test } from 'vitest'
import type { CallResult } from '../call/call-result.ts'
import { CurfewError, type ErrorFault } from '../errors/curfew-error.ts'
import { Breakers } from '../policy/breakers.ts'
import type { Tool } from '../tool/tool.ts'
import { breakerOutcomes } from './breaker-outcomes.ts'

const unreachable = (fault: ErrorFault): CurfewError => new CurfewError('TRANSPORT_FAILED', 'x', { fault })

function ended(code: string, more: object = {}): CallResult {
  return { status: code === 'CANCELLED' ? 'cancelled' : 'error', code, ...more } as unknown as CallResult
}

test.each([
  [ended('TOOL_TIMEOUT'), undefined, { tool: 'failed', server: 'cancelled' }],
  [ended('TRANSPORT_FAILED'), new Error('lost'), { tool: 'failed', server: 'cancelled' }],
  [ended('TRANSPORT_FAILED'), unreachable('server'), { tool: 'cancelled', server: 'failed' }],
  [ended('TRANSPORT_FAILED'), unreachable('none'), { tool: 'cancelled', server: 'cancelled' }],
  [ended('CANCELLED', { abandoned: true }), undefined, { tool: 'failed', server: 'cancelled' }],
  [ended('TOOL_FAILED'), undefined, { tool: 'healthy', server: 'healthy' }],
  [ended('INVALID_RESULT'), undefined, { tool: 'healthy', server: 'healthy' }],
  [ended('DENIED'), undefined, { tool: 'healthy', server: 'cancelled' }],
  [ended('CANCELLED'), undefined, { tool: 'cancelled', server: 'cancelled' }],
])('%o counts for the tool, the server or neither', (result, error, expected) => {
  expect(breakerOutcomes(result, error, () => 100)).toEqual(expected)
})

test('a failing tool does not block the other tools of its server; an unreachable server blocks all of them', () => {
  const breakers = new Breakers({ maxCallsPerWindow: 100, resetTime: 1_000, failures: 2, cooldown: 1_000 })
  const [slow, fast] = ['slow', 'fast'].map((name) => ({ name, server: 'shop' }) as Tool)
  const end = (tool: Tool, code: string, error?: unknown): void =>
    breakers.end(
      tool,
      1,
      breakerOutcomes(ended(code), error, () => 100),
      0,
    )
  for (let i = 0; i < 5; i++) end(slow!, 'TOOL_TIMEOUT')
  expect(breakers.blocked(slow!, 0)).toEqual({ name: 'slow', waitMs: 1_000 })
  expect(breakers.blocked(fast!, 0)).toBeNull()
  for (let i = 0; i < 5; i++) end(fast!, 'INVALID_RESULT')
  expect(breakers.blocked(fast!, 0)).toBeNull()
  for (let i = 0; i < 2; i++) end(fast!, 'TRANSPORT_FAILED', unreachable('server'))
  expect(breakers.blocked(fast!, 0)).toEqual({ name: 'server:shop', waitMs: 1_000 })
})

test('without a server, the failure counts against the tool', () => {
  const breakers = new Breakers({ maxCallsPerWindow: 100, resetTime: 1_000, failures: 1, cooldown: 1_000 })
  const tool = { name: 'alone' } as Tool
  const outcomes = breakerOutcomes(ended('TRANSPORT_FAILED'), unreachable('server'), () => 100)
  breakers.end(tool, 1, outcomes, 0)
  expect(breakers.blocked(tool, 0)).toMatchObject({ name: 'alone' })
})
