import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFakeClock } from '@curfew/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { serverDefaults } from '../../config/server-config.ts'
import type { Connection } from '../connection/create-client.ts'
import { ServerState } from '../state/server-state.ts'
import { ServerLists } from './server-lists.ts'

test('a slow list of prompts does not bring back the tools that were known when it was requested', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-lists-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const config = {
    ...serverDefaults,
    name: 'slow',
    file: '/project/mcp.json',
    root: '/project',
    trust: true,
    target: { kind: 'stdio', command: 'slow', args: [], env: {}, cwd: undefined },
  } as const
  const state = await ServerState.open(folder, config)
  const lists = new ServerLists({
    config,
    state,
    clock: createFakeClock(),
    timeoutName: 'startTimeout',
    connection: () => connection,
    whileFetching: (fetch) => fetch(),
    onListing: () => {},
    log: () => {},
  })
  const prompts = Promise.withResolvers<void>()
  const tools = ['act']
  const client = {
    getServerCapabilities: () => ({ tools: {}, prompts: {} }),
    getProtocolEra: () => 'legacy',
    getNegotiatedProtocolVersion: () => '2025-11-25',
    getServerVersion: () => undefined,
    getInstructions: () => undefined,
    listTools: async () => ({ tools: tools.map((name) => ({ name, inputSchema: { type: 'object' } })) }),
    listPrompts: async () => {
      await prompts.promise
      return { prompts: [{ name: 'ask' }] }
    },
  }
  const connection = { client } as unknown as Connection
  const { signal } = new AbortController()

  await lists.fetch(connection, new Set(['tools']), signal)
  const slow = lists.fetch(connection, new Set(['prompts']), signal)
  tools.push('more')
  await lists.fetch(connection, new Set(['tools']), signal)
  prompts.resolve()
  const listing = await slow

  expect(listing.tools.map(({ name }) => name)).toEqual(['act', 'more'])
  expect(state.listing).toMatchObject({ prompts: [{ name: 'ask' }], tools: [{}, {}] })
})
