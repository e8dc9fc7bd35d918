import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importFolders } from './import-support.ts'

const folders = importFolders()
const shared = { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } }

describe('servers of a repository are imported only if the user approved them', () => {
  const claude = (settings: object): object => ({ projects: { [folders.project]: settings } })

  it.each<[string, () => void, string[]]>([
    ['none is approved', () => {}, []],
    ['one is approved', () => folders.write('.claude.json', claude({ enabledMcpjsonServers: ['a'] })), ['a']],
    [
      'all are approved',
      () => folders.write('.claude/settings.json', { enableAllProjectMcpServers: true }),
      ['a', 'b'],
    ],
    [
      'the repository approves itself',
      () => {
        folders.write('./.claude/settings.json', { enableAllProjectMcpServers: true })
        folders.write('./.claude/settings.local.json', { enabledMcpjsonServers: ['a', 'b'] })
      },
      [],
    ],
    [
      'the repository is trusted',
      () => {
        folders.write('./.claude/settings.local.json', { enabledMcpjsonServers: ['b'] })
        folders.write('.claude.json', claude({ hasTrustDialogAccepted: true }))
      },
      ['b'],
    ],
  ])('Claude Code: %s', async (_name, prepare, expected) => {
    folders.write('./.mcp.json', shared)
    prepare()
    const { code, stdout } = await folders.import('claude')
    expect(code).toBe(0)
    expect(Object.keys(folders.projectServers)).toEqual(expected)
    expect(stdout.includes('not approved')).toBe(expected.length < 2)
    expect(existsSync(join(folders.project, '.curfew'))).toBe(expected.length > 0)
  })

  it('Codex: the user’s own file must trust the project', async () => {
    folders.write('./.codex/config.toml', '[mcp_servers.a]\ncommand = "a"\n')
    expect((await folders.import('codex')).stdout).toContain('not approved')
    expect(folders.projectServers).toEqual({})
    folders.write('.codex/config.toml', `[projects."${folders.project}"]\ntrust_level = "trusted"\n`)
    await folders.import('codex')
    expect(Object.keys(folders.projectServers)).toEqual(['a'])
  })

  it.each<[string, (project: string) => object, string[]]>([
    ['it is not trusted', () => ({}), []],
    ['it is trusted', (project) => ({ [project]: 'TRUST_FOLDER' }), ['a', 'b']],
    ['a parent folder is trusted', (project) => ({ [join(project, '../x')]: 'TRUST_PARENT' }), ['a', 'b']],
    [
      'a parent folder is trusted, but not this one',
      (project) => ({ [join(project, '..')]: 'TRUST_FOLDER', [project]: 'DO_NOT_TRUST' }),
      [],
    ],
  ])('Gemini: %s', async (_name, rules, expected) => {
    folders.write('./.gemini/settings.json', shared)
    folders.write('.gemini/trustedFolders.json', rules(folders.project))
    await folders.import('gemini')
    expect(Object.keys(folders.projectServers)).toEqual(expected)
  })

  it('Gemini: without folder trust, approval is unknown, so the project is not trusted', async () => {
    folders.write('./.gemini/settings.json', shared)
    folders.write('.gemini/settings.json', { security: { folderTrust: { enabled: false } } })
    expect((await folders.import('gemini')).stdout).toContain('this project is not trusted yet')
    expect(Object.keys(folders.projectServers)).toEqual(['a', 'b'])
  })

  it('Cursor: approval is unknown, so the project is not trusted', async () => {
    folders.write('./.cursor/mcp.json', shared)
    const { stdout } = await folders.import('cursor')
    expect(Object.keys(folders.projectServers)).toEqual(['a', 'b'])
    expect(stdout).toContain('this project is not trusted yet; review it, then run: curfew trust\n')
    expect((await folders.run('mcp', 'list')).stdout).not.toContain('has never run')
  })
})

it('a server of unknown approval is imported as disabled if the project is already trusted', async () => {
  folders.write('./.cursor/mcp.json', shared)
  await folders.run('mcp', 'add', '--project', 'mine', '--', 'mine')
  const { stdout } = await folders.import('cursor')
  expect(folders.projectServers).toEqual({
    mine: { command: 'mine' },
    a: { command: 'a', disabled: true },
    b: { command: 'b', disabled: true },
  })
  expect(stdout).toContain('a: imported as disabled, because it comes from the repository')
})

it('disabled servers do not make an unapproved repository trusted', async () => {
  folders.write('./.gemini/settings.json', shared)
  folders.write('.gemini/settings.json', { mcp: { excluded: ['a', 'b'] } })
  folders.write('./.mcp.json', shared)
  folders.write('./.claude/settings.json', { disabledMcpjsonServers: ['a', 'b'] })
  for (const agent of ['gemini', 'claude'])
    expect((await folders.import(agent)).stdout).toContain('there was nothing to import')
  expect(existsSync(join(folders.project, '.curfew'))).toBe(false)
})

describe('disabled servers stay disabled', () => {
  it('Claude Code: servers of the repository, of this folder, and of the user in this project', async () => {
    folders.write('./.mcp.json', shared)
    folders.write('./.claude/settings.json', { disabledMcpjsonServers: ['b'] })
    folders.write('.claude.json', {
      mcpServers: { mine: { command: 'm' }, other: { command: 'o' } },
      projects: {
        [folders.project]: {
          enabledMcpjsonServers: ['a', 'b'],
          mcpServers: { local: { command: 'l' } },
          disabledMcpServers: ['local', 'mine'],
        },
      },
    })
    const { stdout } = await folders.import('claude')
    expect(folders.userServers).toEqual({ mine: { command: 'm' }, other: { command: 'o' } })
    expect(folders.projectServers).toEqual({
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
    folders.write('.gemini/settings.json', { ...shared, ...settings })
    folders.write('.gemini/mcp-server-enablement.json', switches)
    await folders.import('gemini')
    expect(folders.userServers).toEqual({ a: { command: 'a' }, b: { command: 'b', disabled: true } })
  })
})

it('warns when the list of allowed servers would keep the agent from starting Curfew', async () => {
  folders.write('.gemini/settings.json', { ...shared, mcp: { allowed: ['a'] } })
  const warning = 'warning: the settings of Gemini CLI exclude a server named curfew; allow it there as well'
  expect((await folders.import('gemini')).stdout).toContain(warning)
  folders.write('.gemini/settings.json', { ...shared, mcp: { allowed: ['a', 'curfew'] } })
  expect((await folders.import('gemini')).stdout).not.toContain(warning)
})

it('does not import Gemini’s trust', async () => {
  folders.write('.gemini/settings.json', { mcpServers: { a: { command: 'a', trust: true } } })
  const { stdout } = await folders.import('gemini')
  expect(folders.userServers).toEqual({ a: { command: 'a' } })
  expect(stdout).toContain('a: "trust" was not imported')
})

it('does not import trust from a repository', async () => {
  folders.write('./.mcp.json', { mcpServers: { a: { command: 'a', trust: true } } })
  folders.write('.claude/settings.json', { enableAllProjectMcpServers: true })
  await folders.import('claude')
  expect(folders.projectServers).toEqual({ a: { command: 'a' } })
})

it('warns when ${workspaceFolder} becomes the home folder', async () => {
  folders.write('.cursor/mcp.json', {
    mcpServers: { a: { command: 'x', args: ['${workspaceFolder}/docs'] } },
  })
  const { stdout } = await folders.import('cursor')
  expect(folders.userServers).toMatchObject({ a: { args: [`${folders.home}/docs`] } })
  expect(stdout).toContain(`a: warning: \${workspaceFolder} was replaced by ${folders.home}`)
})

it('--rename keeps both servers with the same name', async () => {
  folders.write('.cursor/mcp.json', { mcpServers: { a: { command: 'one' } } })
  folders.write('.gemini/settings.json', { mcpServers: { a: { command: 'two' } } })
  await folders.import('cursor')
  expect((await folders.import('gemini')).stdout).toContain('--rename keeps both, --force replaces it')
  expect((await folders.import('gemini', '--rename')).stdout).toContain('a as a-gemini')
  expect(folders.userServers).toEqual({ a: { command: 'one' }, 'a-gemini': { command: 'two' } })
  expect((await folders.import('gemini', '--rename')).stdout).toContain('there was nothing to import')
  expect(await folders.import('gemini', '--rename', '--force')).toMatchObject({ code: 2 })
})
