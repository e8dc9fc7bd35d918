import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
import type { Upstream } from '../client/upstream.ts'
import { serverDefaults } from '../config/server-config.ts'
import { Catalog, type CatalogOptions } from './catalog.ts'

/** A server with these tools. */
function serverWith(name: string, ...tools: object[]): Upstream {
  return {
    name,
    config: { name, ...serverDefaults, target: { kind: 'stdio' } },
    state: { tools: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) },
    secrets: [],
    secretUse: '',
  } as unknown as Upstream
}

function catalogOf(upstreams: readonly Upstream[], options: Partial<CatalogOptions> = {}): Catalog {
  const all = {
    view: 'brief',
    include: [],
    exclude: [],
    names: 'full',
    nameLimit: 64,
    ...options,
  } as const
  return new Catalog(createRuntime({}), [], { upstreams }, all, {})
}

const found = (catalog: Catalog, name: string): string | undefined => catalog.find(name)?.tool.name

test('a tool is found by its own name if no other tool has it', () => {
  const github = serverWith('github', { name: 'search' }, { name: 'list_issues' }, { name: 'delete' })
  const docs = serverWith('docs', { name: 'search' }, { name: 'mcp__github__delete' })
  const catalog = catalogOf([github, docs], { exclude: ['*__list_issues'] })
  expect(found(catalog, 'mcp__github__delete')).toBe('mcp__github__delete')
  expect(found(catalog, 'delete')).toBe('mcp__github__delete')
  expect(catalog.listed('delete')?.name).toBe('mcp__github__delete')
  // Ambiguous, excluded, unknown.
  for (const name of ['search', 'list_issues', 'create']) expect(found(catalog, name)).toBeUndefined()
  expect([...catalog.list].map(({ name }) => name)).not.toContain('delete')
})

test('a tool that is listed by its own name is found by its full name, too', () => {
  const catalog = catalogOf([serverWith('github', { name: 'search' })], { names: 'bare' })
  expect(catalog.list.map(({ name }) => name)).toEqual(['search'])
  expect(found(catalog, 'mcp__github__search')).toBe('mcp__github__search')
})

test('a tool that requires a task is listed as one that may be called as a task', () => {
  const listed = (view: 'brief' | 'full') =>
    catalogOf(
      [
        serverWith(
          'jobs',
          { name: 'a', execution: { taskSupport: 'required' } },
          { name: 'b', execution: { taskSupport: 'optional' } },
          { name: 'c' },
        ),
      ],
      { view },
    ).list.map(({ execution }) => execution?.taskSupport)
  for (const view of ['brief', 'full'] as const)
    expect(listed(view)).toEqual(['optional', 'optional', undefined])
})
