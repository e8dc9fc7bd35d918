import { type ApprovedContent, contentHash } from '@curfew/extensions/internal'
import { expect, test } from 'vitest'
import type { FileEntry, ServerFile } from './load-servers.ts'
import { tighten } from './loosened-settings.ts'
import { readServer } from './read-server.ts'
import { ServerReload } from './server-reload.ts'

type Entries = Readonly<Record<string, object>>

function entryOf(name: string, raw: object): FileEntry {
  const source = { file: '/p/.curfew/mcp.json', root: '/p/.curfew', env: {} }
  return { server: readServer(name, raw, source).server, raw, hash: contentHash(raw), needs: [] }
}

function file(entries: Entries | 'broken' | 'missing', ofProject = true): ServerFile {
  return {
    file: ofProject ? '/p/.curfew/mcp.json' : '/u/mcp.json',
    ofProject,
    status: typeof entries === 'string' ? entries : 'read',
    entries: new Map(
      typeof entries === 'string'
        ? []
        : Object.entries(entries).map(([name, raw]) => [name, entryOf(name, raw)]),
    ),
    problems: [],
  }
}

const approvals = (approvedAt: string, entries: Entries): ApprovedContent => ({
  servers: new Map(
    Object.entries(entries).map(([name, raw]) => [name, { hash: contentHash(raw), approvedAt }]),
  ),
  config: null,
})
const none = approvals('', {})

const one = { command: 'one' }
const two = { command: 'two' }

function commandsOf(reload: ServerReload, files: readonly ServerFile[], approved = none): object {
  const { servers, pending } = reload.next(files, approved)
  const commands = servers.map(({ name, target }) => [
    name,
    target.kind === 'stdio' ? target.command : target.url,
  ])
  return { ...Object.fromEntries(commands), pending: pending.map(({ server, keys }) => [server, keys]) }
}

test("a project's file starts nothing new without approval; the user's file does", () => {
  const reload = new ServerReload([file({}, false), file({ a: one })], none)
  const user = file({ b: two, c: two }, false)
  const changed = file({ a: two, b: one, d: one })
  expect(commandsOf(reload, [user, changed])).toEqual({
    a: 'one',
    b: 'two',
    c: 'two',
    pending: [
      ['a', ['command']],
      ['b', null],
      ['d', null],
    ],
  })
  const approved = approvals('now', { a: two, b: { command: 'other' }, d: one })
  expect(commandsOf(reload, [user, changed], approved)).toEqual({
    a: 'two',
    b: 'two',
    c: 'two',
    d: 'one',
    pending: [['b', null]],
  })
})

test('an approval from before the start does not count: it may be about an older definition', () => {
  const old = approvals('then', { a: two })
  const reload = new ServerReload([file({ a: one })], old)
  expect(commandsOf(reload, [file({ a: two })], old)).toMatchObject({ a: 'one' })
  expect(commandsOf(reload, [file({ a: two })], approvals('now', { a: two }))).toMatchObject({ a: 'two' })
  // The last approved definition is the one to compare with.
  expect(commandsOf(reload, [file({ a: one })], approvals('now', { a: two }))).toMatchObject({ a: 'two' })
})

test('a broken file and an invalid entry keep what was used; a missing file does not', () => {
  const reload = new ServerReload([file({ a: one, b: one })], none)
  expect(commandsOf(reload, [file('broken')])).toEqual({ a: 'one', b: 'one', pending: [] })
  expect(commandsOf(reload, [file({ a: { command: 7 } })])).toEqual({ a: 'one', pending: [] })
  expect(commandsOf(reload, [file('missing')])).toEqual({ pending: [] })
  expect(commandsOf(reload, [file({ a: one, b: { ...one, disabled: true } })])).toEqual({
    a: 'one',
    pending: [],
  })
})

const full = {
  command: 'one',
  args: ['a'],
  env: { A: 'b' },
  timeout: '10s',
  idleTimeout: '5s',
  startTimeout: '10s',
  include: ['a*', 'b'],
  exclude: ['c'],
  strict: true,
  idleStop: '1m',
}

function tightened(before: object, after: object) {
  const [old, next] = [before, after].map((raw) => entryOf('a', raw).server)
  if (typeof old !== 'object' || typeof next !== 'object' || old === null || next === null)
    throw new Error('invalid')
  return tighten(old, next)
}

test.each<[string, object, readonly string[]]>([
  ['another command', { command: 'two' }, ['command']],
  ['other arguments and variables', { args: [], env: { A: 'c' } }, ['args', 'env']],
  ['another folder', { cwd: '/' }, ['cwd']],
  ['a longer timeout', { timeout: '11s' }, ['timeout']],
  ['the default timeout', { timeout: undefined }, ['timeout']],
  ['no idle timeout', { idleTimeout: undefined }, ['idleTimeout']],
  ['a longer start', { startTimeout: '20s' }, ['startTimeout']],
  ['running forever', { idleStop: false }, ['idleStop']],
  ['trust', { trust: true }, ['trust']],
  ['an immediate start', { eager: true }, ['eager']],
  ['no validation', { strict: false }, ['strict']],
  ['no loop detection', { loops: false }, ['loops']],
  ['weaker pins', { pin: 'off' }, ['pin']],
  ['more tools', { include: ['a*', '*'] }, ['include']],
  ['all tools', { include: undefined }, ['include']],
  ['fewer excluded tools', { exclude: [] }, ['exclude']],
  ['another protocol', { protocol: '2025-06-18' }, ['protocol']],
  ['more processes', { instances: 'per-client' }, ['instances']],
  ['a shorter timeout', { timeout: '9s', idleTimeout: '1s', startTimeout: '1s', idleStop: '1s' }, []],
  ['fewer tools', { include: ['b'], exclude: ['c', 'd'] }, []],
  ['a comment', { '//': 'why' }, []],
])('%s', (_, change, loosened) => {
  const found = tightened(full, { ...full, ...change })
  expect(found.loosened).toEqual(loosened)
  const unchanged = tightened(full, full).server
  expect(found.server).toEqual(
    loosened.length > 0 ? unchanged : tightened({ ...full, ...change }, { ...full, ...change }).server,
  )
})

test('a remote server that becomes a program, or another host, is held back', () => {
  const remote = { url: 'https://example.com/mcp', headers: { A: 'secret:KEY' } }
  expect(tightened(remote, { url: 'https://evil.example/mcp' }).loosened).toEqual(['url', 'headers'])
  expect(tightened(remote, one).loosened).toEqual(['type', 'command', 'args', 'env', 'url', 'headers'])
})
