import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importFolders } from './import-support.ts'

const folders = importFolders()
const shared = { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } }

describe('what a repository brings is taken over only if a person approved it', () => {
  const claude = (settings: object): object => ({ projects: { [folders.project]: settings } })

  it.each<[string, () => void, string[]]>([
    ['nobody was asked', () => {}, []],
    ['one was approved', () => folders.put('.claude.json', claude({ enabledMcpjsonServers: ['a'] })), ['a']],
    ['all are', () => folders.put('.claude/settings.json', { enableAllProjectMcpServers: true }), ['a', 'b']],
    [
      'the repository approves itself',
      () => {
        folders.put('./.claude/settings.json', { enableAllProjectMcpServers: true })
        folders.put('./.claude/settings.local.json', { enabledMcpjsonServers: ['a', 'b'] })
      },
      [],
    ],
    [
      'the repository is trusted',
      () => {
        folders.put('./.claude/settings.local.json', { enabledMcpjsonServers: ['b'] })
        folders.put('.claude.json', claude({ hasTrustDialogAccepted: true }))
      },
      ['b'],
    ],
  ])('Claude Code: %s', async (_name, prepare, expected) => {
    folders.put('./.mcp.json', shared)
    prepare()
    const { code, stdout } = await folders.take('claude')
    expect(code).toBe(0)
    expect(Object.keys(folders.ours)).toEqual(expected)
    expect(stdout.includes('not approved')).toBe(expected.length < 2)
    expect(existsSync(join(folders.project, '.curfew'))).toBe(expected.length > 0)
  })

  it('Codex: its projects are trusted in the user’s own file', async () => {
    folders.put('./.codex/config.toml', '[mcp_servers.a]\ncommand = "a"\n')
    expect((await folders.take('codex')).stdout).toContain('not approved')
    expect(folders.ours).toEqual({})
    folders.put('.codex/config.toml', `[projects."${folders.project}"]\ntrust_level = "trusted"\n`)
    await folders.take('codex')
    expect(Object.keys(folders.ours)).toEqual(['a'])
  })

  it.each<[string, (project: string) => object, string[]]>([
    ['it is not', () => ({}), []],
    ['it is', (project) => ({ [project]: 'TRUST_FOLDER' }), ['a', 'b']],
    ['one above it is', (project) => ({ [join(project, '../x')]: 'TRUST_PARENT' }), ['a', 'b']],
    [
      'one above it is, but not this one',
      (project) => ({ [join(project, '..')]: 'TRUST_FOLDER', [project]: 'DO_NOT_TRUST' }),
      [],
    ],
  ])('Gemini: the folder must be trusted: %s', async (_name, rules, expected) => {
    folders.put('./.gemini/settings.json', shared)
    folders.put('.gemini/trustedFolders.json', rules(folders.project))
    await folders.take('gemini')
    expect(Object.keys(folders.ours)).toEqual(expected)
  })

  it('Gemini: where folder trust is switched off nobody can tell', async () => {
    folders.put('./.gemini/settings.json', shared)
    folders.put('.gemini/settings.json', { security: { folderTrust: { enabled: false } } })
    expect((await folders.take('gemini')).stdout).toContain('this project is not trusted yet')
    expect(Object.keys(folders.ours)).toEqual(['a', 'b'])
  })

  it('Cursor: nobody can tell, so what is made of it is not trusted', async () => {
    folders.put('./.cursor/mcp.json', shared)
    const { stdout } = await folders.take('cursor')
    expect(Object.keys(folders.ours)).toEqual(['a', 'b'])
    expect(stdout).toContain('this project is not trusted yet; review it, then run: curfew trust\n')
    expect((await folders.run('mcp', 'list')).stdout).not.toContain('never ran')
  })
})

it('a server from a repository that nobody approved does not run because its project is trusted already', async () => {
  folders.put('./.cursor/mcp.json', shared)
  await folders.run('mcp', 'add', '--project', 'mine', '--', 'mine')
  const { stdout } = await folders.take('cursor')
  expect(folders.ours).toEqual({
    mine: { command: 'mine' },
    a: { command: 'a', disabled: true },
    b: { command: 'b', disabled: true },
  })
  expect(stdout).toContain('a: imported as disabled, because it comes from the repository')
})

it('a repository that nobody approved is not trusted because its servers are disabled', async () => {
  folders.put('./.gemini/settings.json', shared)
  folders.put('.gemini/settings.json', { mcp: { excluded: ['a', 'b'] } })
  folders.put('./.mcp.json', shared)
  folders.put('./.claude/settings.json', { disabledMcpjsonServers: ['a', 'b'] })
  for (const agent of ['gemini', 'claude'])
    expect((await folders.take(agent)).stdout).toContain('there was nothing to import')
  expect(existsSync(join(folders.project, '.curfew'))).toBe(false)
})

describe('what is switched off stays off', () => {
  it('Claude Code: of a repository, of this folder, and of the user in this project', async () => {
    folders.put('./.mcp.json', shared)
    folders.put('./.claude/settings.json', { disabledMcpjsonServers: ['b'] })
    folders.put('.claude.json', {
      mcpServers: { mine: { command: 'm' }, other: { command: 'o' } },
      projects: {
        [folders.project]: {
          enabledMcpjsonServers: ['a', 'b'],
          mcpServers: { local: { command: 'l' } },
          disabledMcpServers: ['local', 'mine'],
        },
      },
    })
    const { stdout } = await folders.take('claude')
    expect(folders.mine).toEqual({ mine: { command: 'm' }, other: { command: 'o' } })
    expect(folders.ours).toEqual({
      local: { command: 'l', disabled: true },
      mine: { disabled: true },
      a: { command: 'a' },
      b: { command: 'b', disabled: true },
    })
    expect(stdout).toContain('"projects", this folder, "mcpServers": remove local\n')
  })

  it.each<[string, object, object]>([
    ['mcp.excluded', { mcp: { excluded: ['b'] } }, {}],
    ['mcp.allowed', { mcp: { allowed: ['a'] } }, {}],
    ['excludeMCPServers', { excludeMCPServers: ['b'] }, {}],
    ['gemini mcp disable', {}, { b: { enabled: false } }],
  ])('Gemini: %s', async (_name, settings, switches) => {
    folders.put('.gemini/settings.json', { ...shared, ...settings })
    folders.put('.gemini/mcp-server-enablement.json', switches)
    await folders.take('gemini')
    expect(folders.mine).toEqual({ a: { command: 'a' }, b: { command: 'b', disabled: true } })
  })
})

it('warns when the list of allowed servers would keep the agent from starting Curfew', async () => {
  folders.put('.gemini/settings.json', { ...shared, mcp: { allowed: ['a'] } })
  const warning = 'warning: the settings of Gemini CLI exclude a server named curfew; allow it there as well'
  expect((await folders.take('gemini')).stdout).toContain(warning)
  folders.put('.gemini/settings.json', { ...shared, mcp: { allowed: ['a', 'curfew'] } })
  expect((await folders.take('gemini')).stdout).not.toContain(warning)
})

it('Gemini’s trust is not ours', async () => {
  folders.put('.gemini/settings.json', { mcpServers: { a: { command: 'a', trust: true } } })
  const { stdout } = await folders.take('gemini')
  expect(folders.mine).toEqual({ a: { command: 'a' } })
  expect(stdout).toContain('a: "trust" was not imported')
})

it('a repository cannot have its servers trusted either', async () => {
  folders.put('./.mcp.json', { mcpServers: { a: { command: 'a', trust: true } } })
  folders.put('.claude/settings.json', { enableAllProjectMcpServers: true })
  await folders.take('claude')
  expect(folders.ours).toEqual({ a: { command: 'a' } })
})

it('warns when ${workspaceFolder} becomes the home folder', async () => {
  folders.put('.cursor/mcp.json', { mcpServers: { a: { command: 'x', args: ['${workspaceFolder}/docs'] } } })
  const { stdout } = await folders.take('cursor')
  expect(folders.mine).toMatchObject({ a: { args: [`${folders.home}/docs`] } })
  expect(stdout).toContain(`a: warning: \${workspaceFolder} was replaced by ${folders.home}`)
})

it('--rename keeps both servers of a name', async () => {
  folders.put('.cursor/mcp.json', { mcpServers: { a: { command: 'one' } } })
  folders.put('.gemini/settings.json', { mcpServers: { a: { command: 'two' } } })
  await folders.take('cursor')
  expect((await folders.take('gemini')).stdout).toContain('--rename keeps both, --force replaces it')
  expect((await folders.take('gemini', '--rename')).stdout).toContain('a as a-gemini')
  expect(folders.mine).toEqual({ a: { command: 'one' }, 'a-gemini': { command: 'two' } })
  expect((await folders.take('gemini', '--rename')).stdout).toContain('there was nothing to import')
  expect(await folders.take('gemini', '--rename', '--force')).toMatchObject({ code: 2 })
})
