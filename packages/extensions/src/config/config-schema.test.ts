import { type JsonSchema, parseDuration } from '@curfew/core'
import { resolveOptions } from '@curfew/core/internal'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { documentChecker } from './check-document.ts'
import { configFileSchema } from './config-schema.ts'
import { configSettings, settingsByKey, variableOf } from './config-settings.ts'

test('the defaults are those of the runtime', () => {
  const settings = resolveOptions({}) as unknown as Record<string, unknown>
  for (const { key, kind, fallback } of configSettings) {
    // Not all of them are options of the runtime.
    if (
      fallback === undefined ||
      kind === 'switch' ||
      /^(timeouts\.|modelTimeouts\.|secretFiles$|sandbox$|ui\.|journal\.|log\.)/.test(key)
    )
      continue
    const value = key.split('.').reduce<unknown>((inner, name) => Object(inner)[name], settings)
    const expected = kind === 'duration' ? parseDuration(fallback, key) : fallback
    // The runtime has to know whether it was configured.
    if (key === 'toolCallTimeout') expect(value).toBeUndefined()
    else expect([key, value ?? []]).toEqual([key, expected])
  }
})

test('every property has a description', () => {
  const visit = ({ properties }: JsonSchema, path: string): void => {
    for (const [name, node] of Object.entries(Object(properties) as Record<string, JsonSchema>)) {
      expect([path + name, node.description]).toEqual([path + name, expect.stringMatching(/^.{10,}\.$/)])
      visit(node, `${path}${name}.`)
    }
  }
  visit(configFileSchema, '')
})

test('the schema accepts the same durations as the runtime', () => {
  const check = documentChecker<unknown>(configFileSchema)
  const strings = fc.oneof(
    fc.double(),
    fc.integer(),
    fc.string(),
    fc
      .tuple(
        fc.constantFrom('', ' ', '-', '.'),
        fc.nat(99),
        fc.constantFrom('ms', 's', 'm', 'h', 'd', '', 'S'),
      )
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(strings, (value) => {
      const { problems } = check({ grace: value }, 'f')
      try {
        parseDuration(value, 'grace')
      } catch {
        // A string for zero or for too long passes the schema, and is rejected by the runtime's check.
        return typeof value === 'string' || problems.length > 0
      }
      return problems.length === 0
    }),
  )
})

test('every setting has a unique variable', () => {
  expect(variableOf('limits.callsPerTurn')).toBe('CURFEW_LIMITS_CALLS_PER_TURN')
  expect(variableOf('timeouts.mcp-stdio')).toBe('CURFEW_TIMEOUTS_MCP_STDIO')
  expect(variableOf('maxToolCallTimeout')).toBe('CURFEW_MAX_TOOL_CALL_TIMEOUT')
  const variables = [...settingsByKey.keys()].map(variableOf)
  expect(new Set(variables).size).toBe(variables.length)
})
