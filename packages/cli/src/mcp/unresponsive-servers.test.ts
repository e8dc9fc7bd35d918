import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerConfig, serverDefaults } from '@curfew/mcp/config'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UnresponsiveServers } from './unresponsive-servers.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-unresponsive-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const server = (command: string): ServerConfig => ({
  ...serverDefaults,
  name: 'a',
  file: '/x/mcp.json',
  root: '/x',
  target: { kind: 'stdio', command, args: [], env: {}, cwd: undefined },
})
const minute = 60_000

test('remembers a server for ten minutes, unless its command changes', async () => {
  await (await UnresponsiveServers.open(folder, 0)).add([server('old')], 0)
  const soon = await UnresponsiveServers.open(folder, 9 * minute)
  expect([soon.has(server('old')), soon.has(server('new'))]).toEqual([true, false])
  expect((await UnresponsiveServers.open(folder, 10 * minute)).has(server('old'))).toBe(false)
  // A clock that was set back must not extend the time.
  expect((await UnresponsiveServers.open(folder, -1)).has(server('old'))).toBe(false)
})

test.each(['not JSON', '[]', 'null', '{"x": "y"}', '['.repeat(50_000)])(
  'treats an invalid file as empty and replaces it: %.9s',
  async (text) => {
    writeFileSync(join(folder, 'unresponsive-servers.json'), text)
    const unresponsive = await UnresponsiveServers.open(folder, 0)
    expect(unresponsive.has(server('a'))).toBe(false)
    await unresponsive.add([server('a')], 0)
    expect((await UnresponsiveServers.open(folder, 0)).has(server('a'))).toBe(true)
  },
)

test('ignores a file that cannot be written', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const unresponsive = await UnresponsiveServers.open(join(file, 'no folder'), 0)
  await expect(unresponsive.add([server('a')], 0)).resolves.toBeUndefined()
})
