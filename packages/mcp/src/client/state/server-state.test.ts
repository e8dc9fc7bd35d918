import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Tool } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ServerConfig, serverDefaults } from '../../config/server-config.ts'
import { type ServerListing, ServerState } from './server-state.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'curfew-state-'))
})
afterEach(() => rm(folder, { recursive: true }))

const tool = (name: string, description = 'Do it.'): Tool => ({
  name,
  description,
  inputSchema: { type: 'object' },
})

/** Everything that a person would approve. */
const waiting = ({ changed, added }: ServerState): Tool[] => [
  ...changed.map(({ current }) => current),
  ...added,
]

function listing(...tools: readonly Tool[]): ServerListing {
  return {
    era: 'legacy',
    protocolVersion: '2025-11-25',
    server: null,
    instructions: null,
    capabilities: { tools: {} },
    tools,
    prompts: [],
    resources: [],
    templates: [],
  }
}

function config(args: readonly string[] = [], root = '/project'): ServerConfig {
  return {
    name: 'files',
    file: `${root}/mcp.json`,
    root,
    target: { kind: 'stdio', command: 'files', args, env: {}, cwd: undefined },
    ...serverDefaults,
  }
}

test('a listing is available without starting the server', async () => {
  await (await ServerState.open(folder, config())).remember(listing(tool('read')))
  const again = await ServerState.open(folder, config())
  expect(again.listing?.tools.map(({ name }) => name)).toEqual(['read'])
  expect((await stat(again.file)).mode & 0o777).toBe(0o600)
})

test('a changed definition and a new tool wait until they are approved', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read'), tool('write')))
  await state.remember(listing(tool('read', 'Do something else.'), tool('write'), tool('new')))
  expect(state.changed.map(({ name }) => name)).toEqual(['read'])
  expect(state.pinned('read')?.description).toBe('Do it.')
  expect(state.pinned('new')).toBeUndefined()
  expect(state.added.map(({ name }) => name)).toEqual(['new'])
  expect(state.tools.map(({ name, description }) => `${name}: ${description}`)).toEqual([
    'read: Do it.',
    'write: Do it.',
  ])

  const other = await ServerState.open(folder, config())
  await other.approve(waiting(other))
  expect([other.changed, other.added]).toEqual([[], []])
  expect(other.pinned('read')?.description).toBe('Do something else.')
  await state.refresh()
  expect(state.needsApproval).toBe(false)
  expect(state.tools.map(({ name }) => name)).toEqual(['read', 'write', 'new'])
})

test.each([
  ['the same text under another name', [tool('read2')]],
  ['another capitalization', [tool('Read')]],
  ['a letter that looks the same', [tool('re\u0430d')]],
  ['a trailing space', [tool('read ')]],
])('%s is a new tool', async (_what, tools) => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  await state.remember(listing(...tools))
  expect([state.tools, state.added.length, state.removed]).toEqual([[], 1, ['read']])
})

test('a tool that is removed keeps its pin', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('old')))
  await state.remember(listing(tool('new')))
  await state.approve(waiting(state))
  expect([state.needsApproval, state.removed]).toEqual([false, ['old']])
  await state.remember(listing(tool('new'), tool('old')))
  expect(state.tools.map(({ name }) => name)).toEqual(['new', 'old'])
  await state.remember(listing(tool('new'), tool('old', 'Something else.')))
  expect(state.changed.map(({ name }) => name)).toEqual(['old'])
})

test('a server may list its first tools after its first start', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember({ ...listing(), instructions: 'Sign in.' })
  await state.remember({ ...listing(tool('read')), instructions: 'Sign in.' })
  expect(state.tools).toHaveLength(1)
  await state.remember({ ...listing(), instructions: 'Something else.' })
  await state.approve(waiting(state))
  await state.remember({ ...listing(tool('evil')), instructions: 'Something else.' })
  expect([state.tools, state.added.length]).toEqual([[], 1])
})

test.each([
  ['notify', { pin: 'notify' }, true],
  ['off', { pin: 'off' }, true],
  ['a trusted server', { trust: true }, true],
  ['a trusted server of a project', { trust: true, ofProject: true }, false],
] as const)('%s: a new tool is used (%j: %s)', async (what, settings, isUsed) => {
  const state = await ServerState.open(folder, { ...config(), ...settings })
  await state.remember(listing(tool('read')))
  await state.remember(listing(tool('read'), tool('new')))
  expect(state.tools).toHaveLength(isUsed ? 2 : 1)
  expect(state.needsApproval).toBe(!isUsed)
  expect(state.updated.map(({ name }) => name)).toEqual(isUsed && what !== 'off' ? ['new'] : [])
})

test('of two processes that see a server for the first time, one pins its tools', async () => {
  const [one, other] = await Promise.all([
    ServerState.open(folder, config()),
    ServerState.open(folder, config()),
  ])
  await one.remember(listing(tool('read')))
  await other.remember(listing(tool('evil')))
  expect([other.tools, other.added.length]).toEqual([[], 1])
})

test('pins of an earlier version stay valid', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  const written = JSON.parse(await readFile(state.file, 'utf8'))
  const pins = written.pins.filter((pin: { definition: Tool }) => pin.definition.name === 'read')
  await writeFile(state.file, JSON.stringify({ ...written, pins }))
  const again = await ServerState.open(folder, config())
  await again.remember({ ...listing(tool('read'), tool('new')), instructions: 'Read first.' })
  expect(again.tools.map(({ name }) => name)).toEqual(['read'])
  expect([again.instructions, again.added.length]).toEqual(['Read first.', 1])
})

test('a tool that disappears and returns keeps its pin', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  await state.remember(listing())
  await state.remember(listing(tool('read', 'Now it is something else.')))
  expect(state.changed).toHaveLength(1)
})

test('an unchanged state is not written again', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  const { ino } = await stat(state.file)
  // No lock is needed for that.
  await writeFile(`${state.file}.lock`, '')
  await state.remember(listing(tool('read')))
  await rm(`${state.file}.lock`)
  expect((await stat(state.file)).ino).toBe(ino)
  await state.remember(listing(tool('read'), tool('write')))
  expect((await ServerState.open(folder, config())).listing?.tools).toHaveLength(2)
})

test('other fields and the order of keys do not count as a change', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing({ ...tool('read'), _meta: { a: 1 } }))
  await state.remember(
    listing({ inputSchema: { type: 'object' }, description: 'Do it.', name: 'read', _meta: { a: 2 } }),
  )
  expect(state.changed).toEqual([])
})

test('another command invalidates the listing but not the pins', async () => {
  await (await ServerState.open(folder, config())).remember(listing(tool('read')))
  const other = await ServerState.open(folder, config(['--newer']))
  expect(other.listing).toBeNull()
  await other.remember(listing(tool('read', 'Changed.')))
  expect(other.changed).toHaveLength(1)
})

test('a server with the same name in another directory is a different server', async () => {
  await (await ServerState.open(folder, config())).remember(listing(tool('read')))
  expect((await ServerState.open(folder, config([], '/elsewhere'))).listing).toBeNull()
})

test('tools may have the names of properties of Object.prototype', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('__proto__'), tool('constructor')))
  expect((await ServerState.open(folder, config())).pinned('__proto__')?.description).toBe('Do it.')
  expect(state.pinned('toString')).toBeUndefined()
})

test('an invalid listing is ignored, and the pins are kept', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  const written = JSON.parse(await readFile(state.file, 'utf8'))
  for (const odd of [{ tools: {} }, { ...listing(), prompts: [null] }, null]) {
    await writeFile(state.file, JSON.stringify({ ...written, listing: odd }))
    const again = await ServerState.open(folder, config())
    expect(again.listing).toBeNull()
    expect(again.pinned('read')?.description).toBe('Do it.')
  }
})

const deep = '['.repeat(20_000) + ']'.repeat(20_000)
const torn = ['', '{', 'null', '[]', '{"config": 1}', '{"config": "x", "pins": {}}', `{"pins": ${deep}}`]

test.each(torn)(
  'pins that cannot be read (%.30s) are reported, and all tools are denied until approved',
  async (text) => {
    const { file } = await ServerState.open(folder, config())
    await writeFile(file, text)
    const reported: string[] = []
    // The first process to open the file does not start the server.
    await ServerState.open(folder, config(), (problem) => reported.push(problem))
    const state = await ServerState.open(folder, config(), (problem) => reported.push(problem))
    for (const line of reported)
      expect(line).toMatch(/tools of the MCP server files are lost .*curfew mcp approve files/)
    expect(reported).toHaveLength(2)
    expect(reported[0]).toContain(file)
    expect(await readFile(`${file}.unreadable`, 'utf8')).toBe(text)

    await state.remember(listing(tool('read'), tool('write')))
    expect([state.tools, state.added.map(({ name }) => name)]).toEqual([[], ['read', 'write']])
    await state.remember(listing(tool('read'), tool('write'), tool('new')))
    const reviewer = await ServerState.open(folder, config())
    expect(reviewer.added.map(({ name }) => name)).toEqual(['read', 'write', 'new'])
    await reviewer.approve(waiting(reviewer))
    await state.refresh()
    expect(state.needsApproval).toBe(false)
    expect(state.pinned('read')?.description).toBe('Do it.')
    await ServerState.open(folder, config(), (problem) => reported.push(problem))
    expect(reported).toHaveLength(2)
  },
)

test('a file that cannot be opened does not reset the pins', async () => {
  const { file } = await ServerState.open(folder, config())
  await mkdir(file)
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  expect([state.tools, state.added.length]).toEqual([[], 1])
})

test('values of the wrong type in the file are ignored', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read'), tool('write')))
  const written = JSON.parse(await readFile(state.file, 'utf8'))
  const invalid = [
    { description: 5 },
    { title: {} },
    { inputSchema: null },
    { inputSchema: 'object' },
    { annotations: [] },
  ]
  for (const fields of invalid) {
    const [pin] = written.pins
    const definition = { ...pin.definition, ...fields }
    const changed = { ...written, listing: { ...written.listing, tools: [definition] } }
    await writeFile(state.file, JSON.stringify({ ...changed, pins: [{ ...pin, definition }] }))
    const again = await ServerState.open(folder, config())
    expect(again.listing).toBeNull()
    expect(again.pinned('read')).toBeUndefined()
  }
  for (const fields of [{ capabilities: null }, { instructions: {} }, { prompts: [null] }, { tools: 5 }]) {
    await writeFile(state.file, JSON.stringify({ ...written, listing: { ...written.listing, ...fields } }))
    expect((await ServerState.open(folder, config())).listing).toBeNull()
  }
})

test('valid pins are kept if others cannot be read', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read'), tool('write')))
  const written = JSON.parse(await readFile(state.file, 'utf8'))
  await writeFile(state.file, JSON.stringify({ ...written, pins: [written.pins[0], { hash: 'x' }, null] }))
  const reported: string[] = []
  const again = await ServerState.open(folder, config(), (problem) => reported.push(problem))
  expect(reported).toHaveLength(1)
  expect(reported[0]).toContain('2 of 3 entries')
  await again.remember(listing(tool('read'), tool('write', 'Something else.')))
  expect(again.tools.map(({ name }) => name)).toEqual(['read'])
  expect(again.added.map(({ name }) => name)).toEqual(['write'])
})

test('a state that cannot be written is reported and still applies', async () => {
  const file = join(folder, 'file')
  await writeFile(file, '')
  const state = await ServerState.open(file, config())
  await expect(state.remember(listing(tool('read')))).rejects.toThrow(/cannot be written/)
  expect(state.listing?.tools).toHaveLength(1)
  expect(await readFile(file, 'utf8')).toBe('')
})

test('the number of pins is limited, and tools beyond it are not used', async () => {
  const state = await ServerState.open(folder, config())
  const tools = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => tool(`tool-${from + i}`))
  await state.remember(listing(...tools(0, 4_999)))
  await state.remember(listing(...tools(4_990, 5_010)))
  expect(state.listing?.tools.map(({ name }) => name)).toEqual(tools(4_990, 5_000).map(({ name }) => name))
  expect(state.pinned('tool-0')).toBeDefined()
  expect(state.pinned('tool-5000')).toBeUndefined()
})

test('the size of pins is limited', async () => {
  const state = await ServerState.open(folder, { ...config(), trust: true })
  const tools = (from: number) =>
    Array.from({ length: 30 }, (_, i) => tool(`tool-${from + i}`, 'x'.repeat(250_000)))
  for (const from of [0, 30, 60]) await state.remember(listing(...tools(from)))
  expect(state.listing?.tools.map(({ name }) => name)).toEqual([
    'tool-60',
    'tool-61',
    'tool-62',
    'tool-63',
    'tool-64',
    'tool-65',
    'tool-66',
  ])
  expect(state.pinned('tool-66')).toBeDefined()
  expect(state.pinned('tool-67')).toBeUndefined()
})

test('a change is still reported if nothing can be written, or if another process saw the old definition', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  const other = await ServerState.open(folder, config())
  await mkdir(`${state.file}.lock`)
  const remember = state.remember(listing(tool('read', 'Changed.'), tool('new')))
  await state.refresh()
  expect(state.changed.map(({ name }) => name)).toEqual(['read'])
  await rm(`${state.file}.lock`, { recursive: true })
  await remember
  await other.remember(listing(tool('read')))
  await state.refresh()
  expect(state.changed.map(({ name }) => name)).toEqual(['read'])
})

test('a tool is pinned even if nothing can be written', async () => {
  const state = await ServerState.open(folder, config())
  await rm(folder, { recursive: true })
  await writeFile(folder, '')
  await expect(state.remember(listing(tool('read')))).rejects.toThrow(/cannot be written/)
  await rm(folder)
  await mkdir(folder)
  await (await ServerState.open(folder, config())).remember(listing(tool('other')))
  await state.remember(listing(tool('read', 'Changed.')))
  expect(state.changed.map(({ name }) => name)).toEqual(['read'])
})

test('only the reviewed definition is approved, not a later one', async () => {
  const state = await ServerState.open(folder, config())
  await state.remember(listing(tool('read')))
  await state.remember(listing(tool('read', 'Seen.')))
  const reviewer = await ServerState.open(folder, config())
  const seen = waiting(reviewer)
  await state.remember(listing(tool('read', 'Not seen.')))
  await reviewer.approve(seen)
  await state.refresh()
  expect(state.pinned('read')?.description).toBe('Seen.')
  expect(state.changed.map(({ name }) => name)).toEqual(['read'])
})

test('an older listing never replaces a newer one', async () => {
  const state = await ServerState.open(folder, config())
  const lists = Array.from({ length: 10 }, (_, index) => listing(tool('read'), tool(`new${index}`)))
  await Promise.all([state.remember(listing(tool('read'))), ...lists.map((list) => state.remember(list))])
  const names = (one: ServerState): string[] | undefined => one.listing?.tools.map(({ name }) => name)
  expect(names(state)).toEqual(['read', 'new9'])
  expect(names(await ServerState.open(folder, config()))).toEqual(['read', 'new9'])
  expect(state.added.map(({ name }) => name)).toEqual(['new9'])
})
