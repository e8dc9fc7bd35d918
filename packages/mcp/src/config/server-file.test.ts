import type { JsonSchema } from '@curfew/core'
import { expect, test } from 'vitest'
import { mcpSchema } from './mcp-schema.ts'

test('every property is described', () => {
  const visit = (node: JsonSchema, path: string): void => {
    for (const [name, inner] of Object.entries(Object(node.properties) as Record<string, JsonSchema>)) {
      expect([path + name, inner.description]).toEqual([path + name, expect.stringMatching(/^.{10,}\.$/)])
      visit(inner, `${path}${name}.`)
      if (typeof inner.additionalProperties === 'object')
        visit(inner.additionalProperties as JsonSchema, `${path}${name}.*.`)
    }
  }
  visit(mcpSchema, '')
  expect(JSON.stringify(mcpSchema)).toContain('idleTimeout')
})
