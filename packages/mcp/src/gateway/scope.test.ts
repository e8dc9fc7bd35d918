import type { Tool } from '@curfew/core'
import { expect, test } from 'vitest'
import type { UpstreamTool } from '../client/tools/upstream-tools.ts'
import { type Profile, Scope } from './scope.ts'

/** Which of these a profile contains. */
function contained(profile: Omit<Profile, 'name'>): string[] {
  const scope = new Scope({ name: 'work', ...profile })
  const entries = [
    { name: 'notes', tool: { name: 'notes' } as Tool, upstream: null },
    ...['git', 'github'].flatMap((server) =>
      ['read', 'write'].map((tool) => ({
        // Without its prefix, as with --unprefixed.
        name: `${tool}_${server}`,
        tool: { name: `mcp__${server}__${tool}` } as Tool,
        upstream: { upstream: { name: server } } as UpstreamTool,
      })),
    ),
  ]
  return entries.filter((entry) => scope.hasTool(entry)).map(({ tool }) => tool.name)
}

test.each<[Omit<Profile, 'name'>, string[]]>([
  [{}, ['notes', 'mcp__git__read', 'mcp__git__write', 'mcp__github__read', 'mcp__github__write']],
  [{ servers: ['git'] }, ['mcp__git__read', 'mcp__git__write']],
  [{ servers: ['git*'], exclude: ['*__write'] }, ['mcp__git__read', 'mcp__github__read']],
  [
    { servers: ['git*'], exclude: ['write_github'] },
    ['mcp__git__read', 'mcp__git__write', 'mcp__github__read'],
  ],
  [{ tools: ['notes'] }, ['notes']],
  [
    { servers: ['git'], tools: ['notes', 'mcp__github__read'], exclude: ['mcp__git__write'] },
    ['notes', 'mcp__git__read', 'mcp__github__read'],
  ],
  [{ servers: [] }, []],
  [{ tools: [] }, []],
  // A server chooses this name.
  [{ tools: ['read_*'] }, []],
])('%j', (profile, expected) => {
  expect(contained(profile)).toEqual(expected)
})

test.each<[Omit<Profile, 'name'>, boolean]>([
  [{}, true],
  [{ exclude: ['*'] }, true],
  [{ servers: ['git*'] }, true],
  [{ servers: ['git'] }, false],
  [{ tools: ['*'] }, true],
  [{ tools: ['mcp__git*'] }, true],
  [{ tools: ['mcp__github__read'] }, true],
  [{ tools: ['mcp__git__*'] }, false],
  [{ tools: ['mcp__github'] }, false],
  [{ tools: ['notes'] }, false],
])('whether %j needs the server github: %s', (profile, expected) => {
  expect(new Scope({ name: 'work', ...profile }).needs('github')).toBe(expected)
})
