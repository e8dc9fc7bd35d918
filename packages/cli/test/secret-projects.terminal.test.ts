import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ended, ending, startCurfew } from './run-curfew.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const keyed = fileURLToPath(new URL('fixtures/keyed-mcp-server.js', import.meta.url))
const canary = 'canary-value-42'
let home: string

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-'))
  writeFileSync(join(home, 'key'), Buffer.alloc(32, 3), { mode: 0o600 })
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const environment = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  CURFEW_TRUST: '1',
  CURFEW_SECRET_STORE: 'file',
  CURFEW_KEY_FILE: join(home, 'key'),
})

function curfew(folder: string, args: string[], input = ''): Promise<Ended> {
  const child = startCurfew(args, environment(), folder, 'pipe')
  child.stdin!.on('error', () => {})
  child.stdin!.end(input)
  return ending(child)
}

async function uses(): Promise<readonly string[]> {
  const { stdout } = await curfew(home, ['secret', 'list', '--json'])
  return JSON.parse(stdout).secrets[0]?.uses ?? []
}

const user = (): string => join(home, '.config', 'curfew')
const rootOf = (name: string): string => join(home, name, '.curfew')

/** Creates a project with a script, an API and an MCP server that use the same key. */
function project(name: string, root = rootOf(name)): string {
  const write = (file: string, text: string): void => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  write('extensions/scripts/deploy/tool.json', '{"description": "Deploy.", "secrets": ["MY_KEY"]}')
  write('extensions/scripts/deploy/script.js', 'console.log(process.env.MY_KEY.length)')
  const auth = { type: 'bearer', env: 'MY_KEY' }
  const api = { description: 'Ask.', endpoint: { url: 'https://api.example.com/x' }, auth }
  write('extensions/apis/ask.json', JSON.stringify(api))
  const server = { command: process.execPath, args: [keyed], env: { KEY: 'secret:MY_KEY' }, trust: true }
  write('mcp.json', JSON.stringify({ mcpServers: { picky: server } }))
  return join(home, name)
}

describe('curfew secret in a project', () => {
  it('stores a secret for the tool of a named project, from any folder', async () => {
    const shop = project('shop')
    const expected = [`tool:script_deploy@${rootOf('shop')}`]
    for (const [folder, option] of [
      [home, `script_deploy of ${shop}`],
      [shop, 'script_deploy of .'],
      [home, 'script_deploy of shop/'],
      [home, `script_deploy of ${rootOf('shop')}`],
      [home, `tool:script_deploy@${rootOf('shop')}`],
    ] as const) {
      const set = await curfew(folder, ['secret', 'set', 'MY_KEY', '--for', option], canary)
      expect(set).toMatchObject({ code: 0, stderr: '' })
      expect(set.stdout).toMatch(new RegExp(`, for script_deploy of ${shop}\n$`))
      expect(await uses()).toEqual(expected)
    }
    expect((await curfew(home, ['secret', 'list'])).stdout).toBe(`MY_KEY  script_deploy of ${shop}\n`)
    expect((await curfew(shop, ['call', 'script_deploy'])).code).toBe(0)
  })

  it.each([
    [
      'script_deploy',
      (shop: string) => `"script_deploy of ${shop}", or --for tool:script_deploy for your own`,
    ],
    ['mcp__picky', (shop: string) => `"mcp__picky of ${shop}", or --for tool:mcp__picky for your own`],
    ['mcp__picky__look', (shop: string) => `"mcp__picky of ${shop}"`],
    ['api_ask', () => 'is sent to a host; write --for "api.example.com"'],
  ])('rejects the ambiguous name %s', async (name, hint) => {
    const shop = project('shop')
    const set = await curfew(shop, ['secret', 'set', 'MY_KEY', '--for', name], canary)
    expect(set).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(hint(shop)) })
    expect(await uses()).toEqual([])
  })

  it('reads a bare name as your own tool, and tool:NAME even if a project has the same name', async () => {
    const shop = project('shop')
    await curfew(home, ['secret', 'set', 'MY_KEY', '--for', 'script_deploy'], canary)
    expect(await uses()).toEqual(['tool:script_deploy'])
    await curfew(shop, ['secret', 'set', 'MY_KEY', '--for', 'tool:script_deploy'], canary)
    expect(await uses()).toEqual(['tool:script_deploy'])
    const denied = await curfew(shop, ['call', 'script_deploy'])
    expect(JSON.parse(denied.stdout)).toMatchObject({ code: 'DENIED' })
    expect(denied.stdout).toContain('it was stored for your tool script_deploy')
  })

  it('never suggests storing a secret for another project', async () => {
    const [shop, other] = [project('shop'), project('other shop')]
    await curfew(home, ['secret', 'set', 'MY_KEY', '--for', `mcp__picky of ${shop}`], 'right-key')
    expect((await curfew(shop, ['call', 'mcp__picky__look'])).code).toBe(0)
    const denied = await curfew(other, ['call', 'mcp__picky__look'])
    expect(denied.code).not.toBe(0)
    expect(denied.stdout + denied.stderr).toContain(`curfew secret set MY_KEY --for 'mcp__picky of ${other}'`)
    expect(await uses()).toEqual([`tool:mcp__picky@${rootOf('shop')}`])
  })

  it('curfew mcp add --project names the project in its advice', async () => {
    const shop = project('shop')
    const add = ['mcp', 'add', 'more', '--env', 'KEY=secret:MORE_KEY', '--', 'true']
    const added = await curfew(shop, [...add.slice(0, 3), '--project', ...add.slice(3)])
    expect(added.stdout).toContain(`curfew secret set MORE_KEY --for 'mcp__more of ${shop}'`)
    expect((await curfew(home, add)).stdout).toContain('curfew secret set MORE_KEY --for mcp__more\n')
  })
})

describe.runIf(hasTerminal)('curfew call on a terminal', () => {
  const look = ['call', 'mcp__picky__look']

  it('asks for the key that a server of this project rejects, and retries the call', async () => {
    const shop = project('shop')
    await curfew(home, ['secret', 'set', 'MY_KEY', '--for', `mcp__picky of ${shop}`], 'an-old-key')
    const { code, stdout } = await runInTerminal(look, environment(), shop, [
      [/MY_KEY: /, async (type) => type('right-key\r')],
    ])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      `Enter MY_KEY for the MCP server picky of ${shop}: MY_KEY:`,
    )
    expect(stdout).toContain('all is well')
    expect(stdout).not.toContain('right-key')
    expect(code).toBe(0)
  })

  it('asks for a missing key before the tools of a new server are known', async () => {
    project('', user())
    const { code, stdout } = await runInTerminal(look, environment(), home, [
      [/MY_KEY: /, async (type) => type('right-key\r')],
    ])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Enter MY_KEY for your MCP server picky: MY_KEY:')
    expect(stdout).toContain('all is well')
    expect(code).toBe(0)
    expect(await uses()).toEqual(['tool:mcp__picky'])
  })
})
