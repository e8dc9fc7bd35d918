import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'
import { temporaryFolders } from './temporary-folders.ts'

const tiny = fileURLToPath(new URL('fixtures/tiny-mcp-server.js', import.meta.url))
let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const environment = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  CURFEW_TRUST: '1',
  CURFEW_SECRET_STORE: 'file',
})
const tools = (...args: string[]): Promise<Ended> => runCurfew(['tools', ...args], environment(), project)

function script(name: string, definition: object): string {
  const folder = join(project, '.curfew/extensions/scripts', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tool.json'), JSON.stringify(definition))
  writeFileSync(join(folder, 'script.sh'), '#!/bin/sh\necho hello\n', { mode: 0o755 })
  return join(folder, 'tool.json')
}

function servers(entries: object): void {
  mkdirSync(join(home, '.config/curfew'), { recursive: true })
  writeFileSync(join(home, '.config/curfew/mcp.json'), JSON.stringify({ mcpServers: entries }))
}

const server = { command: process.execPath, args: [tiny] }
const names = ({ stdout }: Ended): string[] =>
  stdout
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(' ')[0]!)

describe('curfew tools FILTER', () => {
  it('lists names that contain it, ignoring case, or that match a glob', async () => {
    servers({ github: server })
    expect(names(await tools('GitHub'))).toEqual(['mcp__github__hello', 'mcp__github__bye'])
    expect(names(await tools('*__h*'))).toEqual(['mcp__github__hello'])
    expect(JSON.parse((await tools('github', '--json')).stdout).tools).toHaveLength(2)
    expect((await tools('github', '--view', 'stub')).stdout).toBe('mcp__github__hello\nmcp__github__bye\n')
  })

  it('does not report problems of servers that it cannot match', async () => {
    servers({ github: server, gitlab: { command: 'no-such-program' }, other: { command: 'no-such-program' } })
    expect((await tools('github')).stderr).toBe('')
    for (const filter of ['Git', 'mcp__git*']) {
      const { stderr } = await tools(filter)
      expect(stderr).toContain('mcpServers.gitlab')
      expect(stderr).not.toContain('mcpServers.other')
    }
    expect((await tools('mcp__*')).stderr).toContain('mcpServers.other')
  })

  it('suggests a name if nothing matches', async () => {
    script('weather', { description: 'Tell the weather.' })
    expect(await tools('wether')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'curfew tools: no tool matches "wether"; did you mean "script_weather"?\n',
    })
    expect((await tools('zzz')).stderr).toMatch(/no tool matches "zzz"; curfew tools lists all tools\n$/)
    servers({ a: server })
    expect((await tools('mcp__missing__x')).stderr).toMatch(/unknown server "missing"/)
    expect(await tools('a', 'b')).toMatchObject({ code: 2, stderr: expect.stringContaining('"b"') })
  })
})

it('names an ignored project if nothing matches', async () => {
  script('weather', { description: 'Tell the weather.' })
  const { code, stderr } = await runCurfew(
    ['tools', 'weather'],
    { ...environment(), CURFEW_TRUST: '' },
    project,
  )
  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^curfew tools: no tool matches "weather"; .+\nwarning: .+\.curfew: is ignored.+curfew trust\n$/,
  )
})

describe('curfew tools NAME', () => {
  const definition = {
    description: 'Tell the weather.',
    usage: 'For today only.',
    timeout: 20,
    concurrent: true,
    resources: ['city:{city}'],
    secrets: ['WEATHER_KEY'],
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'Where.' }, days: { type: 'integer', default: 1 } },
      required: ['city'],
    },
  }

  it('shows parameters, timeout and its source, flags, secrets and file', async () => {
    script('weather', definition)
    script('other', { description: 7 })
    const { stdout, stderr, code } = await tools('script_weather', '--set', 'maxToolCallTimeout=5s')
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(stdout).toBe(`script_weather
  Tell the weather. For today only. It may need approval. It ends after 20 s at the latest.
    city (string, required) Where.
    days (integer, default 1)

  timeout  5 s, maxToolCallTimeout in --set instead of 20 s, the tool's own timeout
  flags    concurrent, resources
  secrets  WEATHER_KEY, for the tool script_weather of ${project}
  kind     script
  from     .curfew/extensions/scripts/weather/tool.json
`)
  })

  it('shows the same with --json', async () => {
    const file = script('weather', definition)
    expect(JSON.parse((await tools('script_weather', '--json')).stdout)).toMatchObject({
      tools: [
        {
          name: 'script_weather',
          timeoutMs: 20_000,
          timeoutSource: 'tool',
          idleTimeoutMs: null,
          parameters: definition.parameters,
          secrets: ['WEATHER_KEY'],
          server: null,
          file,
        },
      ],
    })
  })

  it('shows settings of the configuration, with the file that sets them', async () => {
    servers({ a: server })
    const user = join(home, '.config/curfew/config.json')
    writeFileSync(
      user,
      JSON.stringify({
        tools: {
          'mcp__a__*': { timeout: '5s', readOnly: true, concurrent: false, approval: 'allow' },
          mcp__a__hello: { idleTimeout: 1500, resources: ['x:{y}'] },
        },
      }),
    )
    const folder = join(project, '.curfew')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ tools: { 'mcp__*': { approval: 'deny' } } }))
    const { stdout, stderr } = await tools('mcp__a__hello')
    expect(stderr).toBe('')
    const where = 'in ~/.config/curfew/config.json'
    for (const line of [
      `  timeout  5 s, tools.mcp__a__*.timeout ${where}`,
      '  idle     1.5 s without output or progress',
      '  flags    read-only*, not-concurrent*, resources*, allow*, deny*',
      `  set      tools.mcp__a__*.readOnly = true ${where}`,
      `  set      tools.mcp__a__hello.resources = ["x:{y}"] ${where}`,
      `  set      tools.mcp__a__hello.idleTimeout = 1500ms ${where}`,
      '  set      tools.mcp__*.approval = deny in .curfew/config.json',
    ])
      expect(stdout.split('\n')).toContain(line)
    const table = (await tools('mcp__a')).stdout
    expect(table).toContain(`5 s      tools.mcp__a__*.timeout ${where}`)
    expect(table).toMatch(/\n\* set by tools in the configuration; curfew tools NAME shows where\n$/)
    const { tools: listed } = JSON.parse((await tools('mcp__a__bye', '--json')).stdout)
    expect(listed).toMatchObject([
      {
        readOnly: true,
        idempotent: true,
        destructive: false,
        timeoutMs: 5_000,
        timeoutSource: 'tools',
        settings: expect.arrayContaining([
          { key: 'tools.mcp__a__*.timeout', value: 5_000, source: 'user', file: user },
        ]),
      },
    ])
  })

  it('starts only the server of the tool', async () => {
    const started = join(home, 'started')
    servers({ a: server, b: { command: 'sh', args: ['-c', `echo started > ${started}`] } })
    const { stdout, stderr } = await tools('mcp__a__hello')
    expect(stdout).toMatch(/^mcp__a__hello\n {2}Say hello\./)
    expect(stdout).toMatch(/^ {2}kind {5}mcp-stdio, MCP server a$/m)
    expect(stderr).toBe('')
    expect(() => readFileSync(started)).toThrow('ENOENT')
  })

  it('reports why the tool could not be loaded', async () => {
    const file = script('broken', { description: 7 })
    expect(await tools('script_broken')).toEqual({
      code: 2,
      stdout: '',
      stderr: `curfew tools: script_broken could not be loaded: ${file}: description: must be string\n`,
    })
  })
})

describe('a server that does not respond', () => {
  it('delays the list once, and other servers are listed', async () => {
    const starts = join(home, 'starts')
    servers({
      dead: { command: 'sh', args: ['-c', `echo x >> ${starts}; exec sleep 60`], startTimeout: '60s' },
      good: server,
    })
    const first = await tools()
    expect(names(first)).toContain('mcp__good__hello')
    expect(first.stderr).toMatch(
      /mcpServers\.dead: the MCP server dead did not respond within 3 s; curfew mcp test dead waits for it\n$/,
    )
    const second = await tools()
    expect(names(second)).toContain('mcp__good__hello')
    expect(second.stderr).toMatch(
      /dead did not respond recently, so it was not started again; curfew mcp test/,
    )
    expect(readFileSync(starts, 'utf8')).toBe('x\n')
    expect((await tools('mcp__dead__x')).stderr).toMatch(/no tool matches "mcp__dead__x": .+ did not respond/)
  })
})

describe.runIf(hasTerminal)('on a terminal of 80 columns', () => {
  const linesOf = async (...args: string[]): Promise<string[]> => {
    const { stdout } = await runInTerminal(['tools', ...args], environment(), project, [])
    return stripVTControlCharacters(stdout).trimEnd().split(/\r?\n/)
  }

  it('wraps lines, and shortens no name', async () => {
    const long = `a-server-with-${'quite-'.repeat(6)}long-name`
    servers({ [long]: server, wrong: { command: 'no-such-program-with-a-name-that-is-rather-long' } })
    script('weather', { description: 'Tell the weather, and more. '.repeat(9), always_allow: true })
    const table = await linesOf()
    expect(table).toContain(`mcp__${long}__hello`)
    expect(table[0]).toMatch(/^name +timeout +set by; flags$/)
    expect(table.join('\n')).toMatch(/^script_weather +5 min +its adapter's default;\n +always-allow$/m)
    const others = [await linesOf('script_weather'), await linesOf('--view', 'full')]
    // Paths are not wrapped.
    const all = [table, ...others].flat().filter((line) => !line.includes(home))
    for (const line of all) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('gives the notes what short names leave', async () => {
    script('weather', { description: 'Tell the weather.', resources: ['sky'] })
    const config = join(home, '.config/curfew/config.json')
    mkdirSync(dirname(config), { recursive: true })
    writeFileSync(config, '{ "tools": { "script_*": { "timeout": "7s" } } }')
    expect((await linesOf()).join('\n')).toMatch(
      /^script_weather {2}7 s {7}tools\.script_\*\.timeout in\n {26}~\/\.config\/curfew\/config\.json; resources$/m,
    )
  })

  it('does not change a table that fits', async () => {
    expect((await linesOf('sleep*'))[0]).toMatch(/^name +adapter +flags +timeout +set by$/)
  })
})
