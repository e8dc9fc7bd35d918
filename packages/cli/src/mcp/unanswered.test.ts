import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerConfig, serverDefaults } from '@curfew/mcp/config'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Unanswered } from './unanswered.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-unanswered-'))
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

test('a server is left alone for ten minutes, and one whose command has changed is another', async () => {
  await (await Unanswered.open(folder, 0)).add([server('old')], 0)
  const soon = await Unanswered.open(folder, 9 * minute)
  expect([soon.has(server('old')), soon.has(server('new'))]).toEqual([true, false])
  expect((await Unanswered.open(folder, 10 * minute)).has(server('old'))).toBe(false)
  // A clock that was set back must not keep it away for longer.
  expect((await Unanswered.open(folder, -1)).has(server('old'))).toBe(false)
})

test.each(['not JSON', '[]', 'null', '{"x": "y"}', '['.repeat(50_000)])(
  'a file that cannot be used says nothing, and is written anew: %.9s',
  async (text) => {
    writeFileSync(join(folder, 'unanswered.json'), text)
    const unanswered = await Unanswered.open(folder, 0)
    expect(unanswered.has(server('a'))).toBe(false)
    await unanswered.add([server('a')], 0)
    expect((await Unanswered.open(folder, 0)).has(server('a'))).toBe(true)
  },
)

test('where nothing can be written it is only waited for again', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const unanswered = await Unanswered.open(join(file, 'no folder'), 0)
  await expect(unanswered.add([server('a')], 0)).resolves.toBeUndefined()
})
