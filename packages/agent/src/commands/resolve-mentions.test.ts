import { describe, expect, test, vi } from 'vitest'
import type { McpHost } from './command-host.ts'
import { findMentions } from './find-mentions.ts'
import { resolveMentions, resourceResolver } from './resolve-mentions.ts'

const live = (): AbortSignal => new AbortController().signal

describe('resolveMentions', () => {
  test('adds what was mentioned, in order and once', async () => {
    const path = vi.fn(async ({ value }: { value: string }) => [
      { type: 'text' as const, text: `text of ${value}` },
    ])
    const { parts, unresolved } = await resolveMentions(findMentions('@b @a @b'), { path }, live())
    expect(parts.map((part) => (part.type === 'text' ? part.text : null))).toEqual([
      'Content of @b:',
      'text of b',
      'Content of @a:',
      'text of a',
    ])
    expect(unresolved).toEqual([])
    expect(path).toHaveBeenCalledTimes(2)
  })

  test('what does not exist or fails stays text', async () => {
    const mentions = findMentions('@Component @secret.txt https:// @https://a.example')
    const resolvers = {
      path: async ({ value }: { value: string }) => {
        if (value === 'secret.txt') throw new Error('denied by a rule')
        return null
      },
    }
    const { parts, unresolved } = await resolveMentions(mentions, resolvers, live())
    expect(parts).toEqual([])
    expect(unresolved.map(({ mention, message }) => [mention.text, message])).toEqual([
      ['@Component', null],
      ['@secret.txt', 'denied by a rule'],
      ['@https://a.example', null],
    ])
  })

  test('ends with its signal, even if a resolver ignores it', async () => {
    const controller = new AbortController()
    const resolved = resolveMentions(
      findMentions('@a'),
      { path: () => new Promise(() => {}) },
      controller.signal,
    )
    controller.abort(new Error('ESC'))
    await expect(resolved).rejects.toThrow('ESC')
    await expect(resolveMentions([], {}, controller.signal)).rejects.toThrow('ESC')
  })
})

test('@server:uri reads a resource of an MCP server', async () => {
  const readResource = vi.fn<McpHost['readResource']>(async () => [
    { type: 'resource', uri: 'file:///a.md', text: 'hello' },
    { type: 'resource', uri: 'file:///a.png', data: 'AAAA', mediaType: 'image/png' },
    { type: 'resource', uri: 'file:///link' },
    { type: 'image', data: 'BBBB', mediaType: 'image/gif' },
  ])
  const mcp = { readResource } as unknown as McpHost
  const mentions = findMentions('@docs:file:///a', (name) => name === 'docs')
  const { parts } = await resolveMentions(mentions, { resource: resourceResolver(mcp) }, live())
  expect(readResource).toHaveBeenCalledWith('docs', 'file:///a', expect.any(AbortSignal))
  expect(parts).toEqual([
    { type: 'text', text: 'Content of @docs:file:///a:' },
    { type: 'text', text: 'file:///a.md:\nhello' },
    { type: 'file', data: 'AAAA', mediaType: 'image/png', name: 'file:///a.png' },
    { type: 'text', text: '[resource file:///link]' },
    { type: 'file', data: 'BBBB', mediaType: 'image/gif' },
  ])
})
