import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type Gateway, type Home, startGateway } from './helpers/gateway.ts'
import { call, hostileHome, recorded } from './helpers/hostile.ts'
import { knownTools } from './helpers/stage.ts'

let home: Home
beforeAll(async () => {
  home = await hostileHome('healthy')
  await addScript(home, 'greet', 'Greet a person.')
  await using gateway = await startGateway(home)
  await knownTools(gateway)
})
afterAll(() => home[Symbol.asyncDispose]())

async function addScript({ folder }: Home, name: string, description: string): Promise<void> {
  const root = join(folder, '.config', 'curfew', 'extensions', 'scripts', name)
  await mkdir(root, { recursive: true })
  const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
  await writeFile(join(root, 'tool.json'), JSON.stringify({ name, description, parameters }))
  await writeFile(
    join(root, 'script.js'),
    "let text = ''\nprocess.stdin.on('data', (part) => { text += part }).on('end', () => console.log(`hello ${JSON.parse(text).name}`))\n",
  )
}

const names = async ({ client }: Gateway): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name)

test('lists the tools of the gateway and of all servers', async () => {
  await using gateway = await startGateway(home)
  expect(await names(gateway)).toEqual([
    'store_secret',
    'script_greet',
    'mcp__healthy__echo',
    'mcp__healthy__fine',
    'mcp__healthy__act',
    'mcp__hostile__echo',
    'mcp__hostile__fine',
    'mcp__hostile__act',
  ])
  expect((await call(gateway, 'script_greet', { params: { name: 'you' } })).text).toBe('hello you')
  const invalid = await call(gateway, 'script_greet', { params: { nam: 'you' } })
  expect(invalid).toMatchObject({ isError: true, code: 'INVALID_PARAMS' })
  expect(invalid.text).toContain('did you mean "name"? Parameters: name (string, required)')
  await expect(call(gateway, 'no_such_tool')).rejects.toThrow(/unknown tool "no_such_tool"/)
})

const commandTools = ['timeout', 'sleep', 'nice']

test('command tools are not served by default', async () => {
  await using gateway = await startGateway(home)
  expect(await names(gateway)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(timeout|sleep|nice)$/)]),
  )
  for (const name of commandTools)
    await expect(call(gateway, name, { params: { command_args: ['id'], seconds: 1 } })).rejects.toThrow(
      `unknown tool "${name}"`,
    )
})

test.each([
  ['the flag', ['--builtins']],
  ['the configuration', ['--set', 'builtins=true']],
])('command tools are served if %s enables them', async (_, args) => {
  await using gateway = await startGateway(home, { args })
  expect((await names(gateway)).slice(0, 3)).toEqual(commandTools)
  const params = { command_args: ['echo', 'hi'], seconds: 20 }
  expect((await call(gateway, 'timeout', { params })).text).toContain('"exit_code":0')
})

test('a project can enable command tools only if it is trusted', async () => {
  await using home = await hostileHome('healthy')
  await mkdir(join(home.folder, '.curfew'))
  await writeFile(join(home.folder, '.curfew', 'config.json'), JSON.stringify({ builtins: true }))
  {
    await using gateway = await startGateway(home)
    expect(await names(gateway)).not.toContain('timeout')
  }
  Object.assign(home.env, { CURFEW_TRUST: '1' })
  await using gateway = await startGateway(home)
  expect(await names(gateway)).toContain('timeout')
})

test('a known server is started on its first call, not for a list', async () => {
  await using first = await startGateway(home)
  await names(first)
  const starts = recorded(home, 'start').length
  await using gateway = await startGateway(home)
  expect(await names(gateway)).toContain('mcp__hostile__echo')
  expect(recorded(home, 'start')).toHaveLength(starts)
  await call(gateway, 'mcp__hostile__fine')
  expect(recorded(home, 'start')).toHaveLength(starts + 1)
})

test('an eager server is started immediately', async () => {
  await using home = await hostileHome('healthy', { eager: true })
  await using _ = await startGateway(home)
  expect(await until(() => recorded(home, 'start').length === 1)).toBe(true)
})

test('unprefixed names are used if they are unique, and globs select the tools', async () => {
  const args = ['--unprefixed', '--include', 'mcp__*', '--include', 'echo', '--exclude', '*__act']
  await using home = await hostileHome('healthy', { exclude: ['echo'] })
  await using gateway = await startGateway(home, { args })
  await until(async () => (await names(gateway)).length === 3)
  // A name that two servers use is given to neither.
  expect(await names(gateway)).toEqual(['echo', 'mcp__healthy__fine', 'mcp__hostile__fine'])
  expect((await call(gateway, 'echo', { params: { text: 'a' } })).text).toBe('a')
  await expect(call(gateway, 'mcp__hostile__act')).rejects.toThrow(/unknown tool/)
})

test('short names are used with --names short, and rules use the full name', async () => {
  const args = [
    '--names',
    'short',
    '--set',
    'approval.rules.deny=["mcp__hostile__act"]',
    '--exclude',
    '*__echo',
  ]
  await using gateway = await startGateway(home, { args })
  expect((await names(gateway)).slice(2)).toEqual([
    'healthy__fine',
    'healthy__act',
    'hostile__fine',
    'hostile__act',
  ])
  expect((await call(gateway, 'healthy__fine')).isError).toBe(false)
  expect(await call(gateway, 'hostile__act')).toMatchObject({ code: 'DENIED' })
  expect((await call(gateway, 'mcp__healthy__fine')).isError).toBe(false)
  await expect(call(gateway, 'healthy__fin')).rejects.toThrow('did you mean "healthy__fine"?')
})

test('a name that is too long for a client is shortened, always to the same name', async () => {
  const seen: string[][] = []
  for (let i = 0; i < 2; i++) {
    await using gateway = await startGateway(home, { args: ['--name-limit', '16'] })
    seen.push(await names(gateway))
    const echo = seen[i]!.find((name) => name.startsWith('mcp__he'))!
    expect((await call(gateway, echo, { params: { text: 'b' } })).text).toBe('b')
  }
  expect(seen[0]).toEqual(seen[1])
  for (const name of seen[0]!) expect(name.length).toBeLessThanOrEqual(16)
  expect(new Set(seen[0]).size).toBe(8)
})

describe('the stub view', () => {
  test('lists only names, always the same bytes, and search_tools', async () => {
    await using gateway = await startGateway(home, { args: ['--view', 'stub'] })
    const { client } = gateway
    const list = async (): Promise<string> =>
      JSON.stringify((await client.listTools({}, { cacheMode: 'bypass' })).tools)
    const before = await list()
    const echo = { name: 'mcp__healthy__echo', inputSchema: { type: 'object' } }
    expect(JSON.parse(before)).toContainEqual(echo)

    const found = JSON.parse((await call(gateway, 'search_tools', { params: { query: 'return text' } })).text)
    expect(found.tools[0]).toMatchObject({ name: 'mcp__healthy__echo', description: 'Return the text.' })
    const selected = { query: 'select:script_greet, mcp__hostile__fine,nothing' }
    const { tools, unknown } = JSON.parse((await call(gateway, 'search_tools', { params: selected })).text)
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(['script_greet', 'mcp__hostile__fine'])
    expect(unknown).toEqual(['nothing'])

    const loaded = await call(gateway, 'script_greet')
    expect(loaded.isError).toBe(false)
    expect(loaded.text).toMatch(/is loaded and did not run.*"required":\["name"\]/s)
    expect((await call(gateway, 'script_greet', { params: { name: 'you' } })).text).toBe('hello you')
    expect((await call(gateway, 'mcp__healthy__echo', { params: { text: 'runs' } })).text).toBe('runs')
    expect(await list()).toBe(before)
  })

  test('the configuration can enable it, and every served tool can be found', async () => {
    await using gateway = await startGateway(home, {
      args: ['--set', 'view=stub', '--include', 'mcp__healthy__*'],
    })
    const { tools } = await gateway.client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'search_tools',
      'call_tool',
      'mcp__healthy__echo',
      'mcp__healthy__fine',
      'mcp__healthy__act',
    ])
    expect(tools[2]!.description).toBeUndefined()
  })
})

test('the default view contains annotations, those of a server only if it is trusted', async () => {
  await using gateway = await startGateway(home, { args: ['--builtins'] })
  const { tools } = await gateway.client.listTools()
  const sleep = tools.find(({ name }) => name === 'sleep')!
  expect(sleep.annotations).toMatchObject({ readOnlyHint: true })
  expect(tools.find(({ name }) => name === 'mcp__healthy__echo')!.annotations).toBeUndefined()
})

test('a result with too much text is truncated and names the file with the full text', async () => {
  await using gateway = await startGateway(home, { args: ['--set', 'maxContentLength=2000'] })
  const short = 'a'.repeat(2_000)
  expect((await call(gateway, 'mcp__healthy__echo', { params: { text: short } })).text).toBe(short)
  const { text } = await call(gateway, 'mcp__healthy__echo', { params: { text: 'b'.repeat(100_000) } })
  expect(text.length).toBeLessThan(2_600)
  const [, file] = /(\S+\.txt)/.exec(text) ?? []
  expect(readFileSync(file!, 'utf8')).toBe('b'.repeat(100_000))
})

test('the full view contains annotations and complete descriptions', async () => {
  await using gateway = await startGateway(home, { args: ['--builtins', '--view', 'full'] })
  const { tools } = await gateway.client.listTools()
  const sleep = tools.find(({ name }) => name === 'sleep')!
  expect(sleep.annotations).toMatchObject({ readOnlyHint: true })
  expect(sleep.description!.length).toBeGreaterThan(60)
})
