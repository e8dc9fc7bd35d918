import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importFolders } from './import-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const folders = importFolders()
const canary = 'canary-0123456789'
const dsn = 'postgres://me:canary-pass@localhost/db'

it('--store-secrets replaces keys in variables, headers, arguments and URLs with secrets', async () => {
  folders.write('.cursor/mcp.json', {
    mcpServers: {
      a: {
        command: 'x',
        args: [
          '--api-key',
          canary,
          `--token=${canary}2`,
          '--dsn',
          dsn,
          'plain',
          '-e',
          'DB_PASSWORD=canary$pass1',
        ],
        env: { API_KEY: `${canary}3`, PORT: 8080, MODE: '${env:MODE}' },
      },
      b: {
        url: `https://b.example/s/q3Zt8vXw1LmN0pRsTuVyAbCd/mcp?key=${canary}4&x=1`,
        headers: { Authorization: `Bearer ${canary}5`, 'X-Plain': 'y' },
      },
      c: { url: `https://me:${canary}@c.example/mcp` },
      d: { command: 'npx', args: ['mcp-remote', 'https://d.example', '--header', `X-Api-Key:${canary}6`] },
    },
  })
  const { code, stdout, stderr } = await folders.import('cursor', '--store-secrets')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(folders.userServers).toEqual({
    a: {
      command: 'x',
      args: [
        '--api-key',
        'secret:A_API_KEY',
        '--token=secret:A_TOKEN',
        '--dsn',
        'secret:A_DSN',
        'plain',
        '-e',
        'DB_PASSWORD=secret:A_DB_PASSWORD',
      ],
      env: { API_KEY: 'secret:API_KEY', PORT: 8080, MODE: '${MODE}' },
    },
    b: {
      url: 'https://b.example/s/{secret:B_KEY}/mcp?key={secret:B_KEY_2}&x=1',
      headers: { Authorization: 'Bearer secret:B_TOKEN', 'X-Plain': 'y' },
    },
    c: { url: 'https://c.example/mcp', headers: { Authorization: 'Basic secret:C_LOGIN' } },
    d: {
      command: 'npx',
      args: ['mcp-remote', 'https://d.example', '--header', 'X-Api-Key:{secret:D_X_API_KEY}'],
    },
  })
  expect(await folders.secrets()).toContainEqual({ name: 'B_KEY_2', uses: ['host:b.example'] })
  expect(await folders.secrets()).toContainEqual({ name: 'A_DSN', uses: ['tool:mcp__a'] })
  expect(stdout).toContain('stored as secrets: API_KEY, A_API_KEY')
  expect(stdout).not.toMatch(/canary|q3Zt8v/)
  expect((await folders.import('cursor', '--store-secrets')).stdout).toContain('there was nothing to import')
})

it('--store-secrets finds keys in URLs, JSON and shell commands in arguments and variables', async () => {
  const headers = `{"Authorization": "Bearer ${canary}1", "Notion-Version": "2022-06-28"}`
  folders.write('.cursor/mcp.json', {
    mcpServers: {
      remote: { command: 'npx', args: ['mcp-remote', `https://a.example/sse?token=${canary}2&x=1`] },
      path: { command: 'npx', args: ['mcp-remote', 'https://a.example/s/q3Zt8vXw1LmN0pRsTuVyAbCd/mcp'] },
      smithery: { command: 'npx', args: ['run', '--config', `{"githubToken":"${canary}3","mode":"all"}`] },
      notion: { command: 'npx', env: { OPENAPI_MCP_HEADERS: headers } },
      shell: { command: 'sh', args: ['-c', `cd /srv && API_TOKEN=${canary}4 exec server --port 1`] },
    },
  })
  const { stdout } = await folders.import('cursor', '--store-secrets')
  expect(folders.userServers).toEqual({
    remote: { command: 'npx', args: ['mcp-remote', 'https://a.example/sse?token={secret:REMOTE_TOKEN}&x=1'] },
    path: { command: 'npx', args: ['mcp-remote', 'https://a.example/s/{secret:PATH_KEY}/mcp'] },
    smithery: {
      command: 'npx',
      args: ['run', '--config', '{"githubToken":"{secret:SMITHERY_GITHUBTOKEN}","mode":"all"}'],
    },
    notion: {
      command: 'npx',
      env: {
        OPENAPI_MCP_HEADERS:
          '{"Authorization": "Bearer {secret:NOTION_AUTHORIZATION}", "Notion-Version": "2022-06-28"}',
      },
    },
    shell: {
      command: 'sh',
      args: ['-c', 'cd /srv && API_TOKEN={secret:SHELL_API_TOKEN} exec server --port 1'],
    },
  })
  expect(stdout).not.toMatch(/canary|q3Zt8v|looks like a key/)
})

it('does not mistake a long secret name in an argument for a key', async () => {
  folders.write('.cursor/mcp.json', {
    mcpServers: { database: { command: 'x', args: ['--connection-string', dsn] } },
  })
  const { stdout } = await folders.import('cursor', '--store-secrets')
  expect(folders.userServers.database).toEqual({
    command: 'x',
    args: ['--connection-string', 'secret:DATABASE_CONNECTION_STRING'],
  })
  expect(stdout).not.toContain('looks like a key')
  expect((await folders.import('cursor')).stdout).toContain('is already in ~/.config/curfew/mcp.json')
})

it('does not overwrite a secret of the same name with another value', async () => {
  folders.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { API_KEY: canary } } } })
  folders.write('.gemini/settings.json', {
    mcpServers: {
      b: { command: 'x', env: { API_KEY: `${canary}2` } },
      c: { command: 'x', env: { API_KEY: canary } },
    },
  })
  await folders.import('cursor', '--store-secrets')
  await folders.import('gemini', '--store-secrets')
  expect(folders.userServers).toMatchObject({
    a: { env: { API_KEY: 'secret:API_KEY' } },
    b: { env: { API_KEY: 'secret:API_KEY_2' } },
    c: { env: { API_KEY: 'secret:API_KEY' } },
  })
  expect(await folders.secrets()).toEqual([
    { name: 'API_KEY', uses: ['tool:mcp__a', 'tool:mcp__c'] },
    { name: 'API_KEY_2', uses: ['tool:mcp__b'] },
  ])
})

it("keeps servers from the user's own file out of git", async () => {
  spawnSync('git', ['init', '-q'], { cwd: folders.project })
  folders.write('.claude.json', {
    projects: { [folders.project]: { mcpServers: { local: { command: 'x', env: { API_KEY: canary } } } } },
  })
  await folders.import('claude')
  expect(folders.projectServers.local).toEqual({ command: 'x', env: { API_KEY: canary } })
  expect(readFileSync(join(folders.project, '.curfew/.gitignore'), 'utf8')).toBe('mcp.json\n')
  const { stdout } = spawnSync('git', ['status', '--porcelain', '-uall'], {
    cwd: folders.project,
    encoding: 'utf8',
  })
  expect(stdout).not.toContain('mcp.json')
})

it('adds the file to a .gitignore that includes it again', async () => {
  folders.write('./.curfew/.gitignore', '*\n!mcp.json\n')
  folders.write('.claude.json', {
    projects: { [folders.project]: { mcpServers: { local: { command: 'x', env: { API_KEY: canary } } } } },
  })
  await folders.import('claude')
  expect(readFileSync(join(folders.project, '.curfew/.gitignore'), 'utf8')).toBe('*\n!mcp.json\nmcp.json\n')
})

it('writes no .gitignore for servers of the repository without keys', async () => {
  folders.write('./.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
  await folders.import('cursor')
  expect(Object.keys(folders.projectServers)).toEqual(['a'])
  expect(existsSync(join(folders.project, '.curfew/.gitignore'))).toBe(false)
})

it('reports a file that git already tracks', async () => {
  spawnSync('git', ['init', '-q'], { cwd: folders.project })
  folders.write('./.curfew/mcp.json', { mcpServers: {} })
  spawnSync('git', ['add', '.curfew/mcp.json'], { cwd: folders.project })
  folders.write('.claude.json', {
    projects: { [folders.project]: { mcpServers: { local: { command: 'x' } } } },
  })
  expect((await folders.import('claude')).stdout).toContain('git rm --cached .curfew/mcp.json')
})

it('writes nothing if secrets cannot be stored', async () => {
  folders.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { API_KEY: canary } } } })
  const { environment } = folders
  Object.defineProperty(folders, 'environment', {
    value: { ...environment, CURFEW_KEY_FILE: '' },
    configurable: true,
  })
  const { code, stderr } = await folders.import('cursor', '--store-secrets')
  Reflect.deleteProperty(folders, 'environment')
  expect(code).toBe(1)
  expect(stderr).not.toContain(canary)
  expect(folders.userServers).toEqual({})
})

it.runIf(hasTerminal)('asks on a terminal whether to store keys as secrets', async () => {
  folders.write('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { API_KEY: canary } } } })
  for (const [answer, expected] of [
    ['n', canary],
    ['', 'secret:API_KEY'],
  ] as const) {
    const { code, stdout } = await runInTerminal(
      ['mcp', 'import', 'cursor', '--force'],
      folders.environment,
      folders.project,
      [[/Store it as a secret instead\? \[Y\/n\] /, async (type) => type(`${answer}\n`)]],
    )
    expect(code).toBe(0)
    expect(stdout).not.toContain(canary)
    expect(folders.userServers.a).toEqual({ command: 'x', env: { API_KEY: expected } })
    folders.write('.config/curfew/mcp.json', { mcpServers: {} })
  }
})
