import { describe, expect, test } from 'vitest'
import { defineTool } from '../tool/define-tool.ts'
import type { Tool, ToolDefinition } from '../tool/tool.ts'
import { resolveOptions } from './resolve-options.ts'
import { type ToolSettings, toolSettings } from './tool-settings.ts'

function effective(
  options: Record<string, ToolSettings>,
  definition: Partial<ToolDefinition> & { readonly name?: string } = {},
): Tool {
  const tool = defineTool({
    name: 'mcp__files__read',
    description: 'Read.',
    execute: () => 1,
    ...definition,
  } as never)
  return toolSettings(options).effective(tool as never)
}

describe('which entry applies', () => {
  test('the longest matching pattern wins, for each setting separately', () => {
    const tool = effective({
      'mcp__files__*': { timeout: '5s', readOnly: true },
      '*': { timeout: '1s', idleTimeout: '2s', concurrent: true },
      mcp__files__read: { concurrent: false },
      'script_*': { timeout: '9s' },
    })
    expect(tool).toMatchObject({ timeoutMs: 5_000, idleTimeoutMs: 2_000, readOnly: true, concurrent: false })
    expect(tool.overrides).toEqual({
      timeout: 'mcp__files__*',
      idleTimeout: '*',
      readOnly: 'mcp__files__*',
      concurrent: 'mcp__files__read',
    })
  })

  test('of equally long patterns, the last one wins', () => {
    expect(effective({ '*_files__read': { timeout: 1 }, 'mcp__files__*': { timeout: 2 } }).timeoutMs).toBe(2)
    expect(effective({ 'mcp__files__*': { timeout: 2 }, '*_files__read': { timeout: 1 } }).timeoutMs).toBe(1)
  })

  test('a tool without settings stays the same object; one with settings gets one frozen copy', () => {
    const tool = defineTool({ name: 'a', description: 'Do it.', execute: () => 1 }) as Tool
    expect(toolSettings({ b: { timeout: 1 } }).effective(tool)).toBe(tool)
    const table = toolSettings({ '*': { timeout: 1 } })
    expect(table.effective(tool)).toBe(table.effective(tool))
    expect(Object.isFrozen(table.effective(tool))).toBe(true)
    expect(tool.timeoutMs).toBeUndefined()
  })

  test.each(['__proto__', 'constructor', 'a.b/c-d'])('%s is a name like any other', (name) => {
    const options = JSON.parse(`{ ${JSON.stringify(name)}: { "timeout": 7 } }`)
    expect(effective(options, { name }).timeoutMs).toBe(7)
    expect(effective(options, { name: 'other' }).timeoutMs).toBeUndefined()
  })
})

describe('flags that contradict the tool', () => {
  test('readOnly: true on a destructive tool makes it idempotent and not destructive', () => {
    const tool = effective({ '*': { readOnly: true } }, { destructive: true, idempotent: false })
    expect(tool).toMatchObject({ readOnly: true, destructive: false, idempotent: true })
  })

  test('readOnly: false restores the cautious defaults of what was not declared', () => {
    expect(effective({ '*': { readOnly: false } }, { readOnly: true })).toMatchObject({
      readOnly: false,
      destructive: true,
      idempotent: false,
    })
    const declared = { readOnly: true, destructive: false, idempotent: true }
    expect(effective({ '*': { readOnly: false } }, declared)).toMatchObject({
      destructive: false,
      idempotent: true,
    })
  })

  test('idempotent: false is stricter than readOnly: true, wherever both are set', () => {
    const strict = { readOnly: false, idempotent: false, destructive: true }
    expect(effective({ '*': { idempotent: false } }, { readOnly: true })).toMatchObject(strict)
    expect(effective({ '*': { idempotent: false, readOnly: true } })).toMatchObject(strict)
    expect(effective({ '*': { idempotent: false }, 'mcp__*': { readOnly: true } })).toMatchObject(strict)
  })

  test('other settings leave the flags as they are', () => {
    const tool = effective({ '*': { timeout: 1 } }, { idempotent: true, destructive: false })
    expect(tool).toMatchObject({ readOnly: false, idempotent: true, destructive: false })
  })
})

test('resources replace those of the tool, and parameters are filled in', () => {
  const own = { resources: () => ['own'] }
  const keys = (resources: readonly string[], params: object): readonly string[] | undefined =>
    effective({ '*': { resources } }, own).resources!(params as never)
  expect(keys(['repo'], {})).toEqual(['repo'])
  expect(keys([], {})).toEqual([])
  expect(keys(['file:{path}', 'all'], { path: 'a b' })).toEqual(['file:a b', 'all'])
  expect(keys(['{n}:{list}'], { n: 1, list: [{ b: 1, a: 2 }] })).toEqual(['1:[{"a":2,"b":1}]'])
  // It is unknown what such a call uses, so it is not treated as one that uses nothing.
  expect(keys(['file:{path}'], {})).toBeUndefined()
  expect(keys(['file:{constructor}'], {})).toBeUndefined()
})

test.each([
  [{ a: { timeout: '5 parsecs' } }, 'tools.a.timeout', 'a duration'],
  [{ 'm*': { idleTimeout: 0 } }, 'tools.m*.idleTimeout', 'a duration'],
  [{ a: { readOnly: 1 } }, 'tools.a.readOnly', 'expected true or false, got 1'],
  [{ a: { resources: 'x' } }, 'tools.a.resources', 'expected an array of strings, got "x"'],
  [{ a: { resources: [''] } }, 'tools.a.resources', 'expected an array of strings'],
  [{ a: { approval: 'no' } }, 'tools.a.approval', 'expected one of allow, ask, deny, got "no"'],
  [{ a: { timout: 1 } }, 'tools.a.timout', 'unknown option; did you mean "timeout"?'],
  [{ a: { frobnicate: 1 } }, 'tools.a.frobnicate', 'unknown option; use one of timeout, idleTimeout'],
  [{ a: null }, 'tools.a', 'expected an object, got null'],
  [{ 'a b': {} }, 'tools.a b', 'expected the name of a tool, or a pattern'],
  [{ 'a[0]': {} }, 'tools.a[0]', 'expected the name of a tool, or a pattern'],
  [[], 'tools', 'expected an object'],
])('rejects %j', (tools, field, message) => {
  const resolve = (): unknown => resolveOptions({ tools } as never)
  expect(resolve).toThrow(expect.objectContaining({ field }))
  expect(resolve).toThrow(message)
})
