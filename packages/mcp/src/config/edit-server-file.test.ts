import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { removeServer, setServerDisabled } from './edit-server-file.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-edit-'))
  file = join(folder, 'mcp.json')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (servers: object): void => writeFileSync(file, JSON.stringify({ mcpServers: servers }))
const servers = (): unknown => JSON.parse(readFileSync(file, 'utf8')).mcpServers

it('changes only the named server, also if its name is invalid', async () => {
  write({ a: { command: 'x', env: { B: '1' } }, 'a/env': { command: 'y' }, '~1': { command: 'z' } })
  expect(await setServerDisabled(file, 'a/env', true)).toBe(true)
  expect(await setServerDisabled(file, '~1', true)).toBe(true)
  expect(servers()).toEqual({
    a: { command: 'x', env: { B: '1' } },
    'a/env': { command: 'y', disabled: true },
    '~1': { command: 'z', disabled: true },
  })
  expect(await removeServer(file, 'a/env')).toBe(true)
  expect(await removeServer(file, '~1')).toBe(true)
  expect(servers()).toEqual({ a: { command: 'x', env: { B: '1' } } })
})

it('an entry that is not an object can be removed, but not disabled', async () => {
  write({ a: 'x' })
  await expect(setServerDisabled(file, 'a', true)).rejects.toThrow('mcpServers.a: expected an object')
  await expect(setServerDisabled(file, 'b', true)).rejects.toThrow('has no server "b"')
  expect(await removeServer(file, 'a')).toBe(true)
  expect(servers()).toEqual({})
})
