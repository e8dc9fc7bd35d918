import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importFolders } from './import-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const folders = importFolders()
const canary = 'canary-0123456789'
const dsn = 'postgres://me:canary-pass@localhost/db'

it('--store-secrets moves keys out of variables, headers, arguments and addresses, and the file names them', async () => {
  folders.put('.cursor/mcp.json', {
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
  const { code, stdout, stderr } = await folders.take('cursor', '--store-secrets')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(folders.mine).toEqual({
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
  expect((await folders.take('cursor', '--store-secrets')).stdout).toContain('there was nothing to import')
})

it('--store-secrets leaves no key in an address, JSON or shell command among arguments and variables', async () => {
  const headers = `{"Authorization": "Bearer ${canary}1", "Notion-Version": "2022-06-28"}`
  folders.put('.cursor/mcp.json', {
    mcpServers: {
      remote: { command: 'npx', args: ['mcp-remote', `https://a.example/sse?token=${canary}2&x=1`] },
      path: { command: 'npx', args: ['mcp-remote', 'https://a.example/s/q3Zt8vXw1LmN0pRsTuVyAbCd/mcp'] },
      smithery: { command: 'npx', args: ['run', '--config', `{"githubToken":"${canary}3","mode":"all"}`] },
      notion: { command: 'npx', env: { OPENAPI_MCP_HEADERS: headers } },
      shell: { command: 'sh', args: ['-c', `cd /srv && API_TOKEN=${canary}4 exec server --port 1`] },
    },
  })
  const { stdout } = await folders.take('cursor', '--store-secrets')
  expect(folders.mine).toEqual({
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

it('the name of a secret in an argument is not taken for a key, however long it is', async () => {
  folders.put('.cursor/mcp.json', {
    mcpServers: { database: { command: 'x', args: ['--connection-string', dsn] } },
  })
  const { stdout } = await folders.take('cursor', '--store-secrets')
  expect(folders.mine.database).toEqual({
    command: 'x',
    args: ['--connection-string', 'secret:DATABASE_CONNECTION_STRING'],
  })
  expect(stdout).not.toContain('looks like a key')
  expect((await folders.take('cursor')).stdout).toContain('is already in ~/.config/curfew/mcp.json')
})

it('a secret of the same name and another value is not written over', async () => {
  folders.put('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { API_KEY: canary } } } })
  folders.put('.gemini/settings.json', {
    mcpServers: {
      b: { command: 'x', env: { API_KEY: `${canary}2` } },
      c: { command: 'x', env: { API_KEY: canary } },
    },
  })
  await folders.take('cursor', '--store-secrets')
  await folders.take('gemini', '--store-secrets')
  expect(folders.mine).toMatchObject({
    a: { env: { API_KEY: 'secret:API_KEY' } },
    b: { env: { API_KEY: 'secret:API_KEY_2' } },
    c: { env: { API_KEY: 'secret:API_KEY' } },
  })
  expect(await folders.secrets()).toEqual([
    { name: 'API_KEY', uses: ['tool:mcp__a', 'tool:mcp__c'] },
    { name: 'API_KEY_2', uses: ['tool:mcp__b'] },
  ])
})

it("what is private in the user's own file is not ready for git add in the repository", async () => {
  spawnSync('git', ['init', '-q'], { cwd: folders.project })
  folders.put('.claude.json', {
    projects: { [folders.project]: { mcpServers: { local: { command: 'x', env: { API_KEY: canary } } } } },
  })
  await folders.take('claude')
  expect(folders.ours.local).toEqual({ command: 'x', env: { API_KEY: canary } })
  expect(readFileSync(join(folders.project, '.curfew/.gitignore'), 'utf8')).toBe('mcp.json\n')
  const { stdout } = spawnSync('git', ['status', '--porcelain', '-uall'], {
    cwd: folders.project,
    encoding: 'utf8',
  })
  expect(stdout).not.toContain('mcp.json')
})

it('a .gitignore that takes the file back does not count as ignoring it', async () => {
  folders.put('./.curfew/.gitignore', '*\n!mcp.json\n')
  folders.put('.claude.json', {
    projects: { [folders.project]: { mcpServers: { local: { command: 'x', env: { API_KEY: canary } } } } },
  })
  await folders.take('claude')
  expect(readFileSync(join(folders.project, '.curfew/.gitignore'), 'utf8')).toBe('*\n!mcp.json\nmcp.json\n')
})

it('a file of the repository without keys stays as public as it was', async () => {
  folders.put('./.cursor/mcp.json', { mcpServers: { a: { command: 'x' } } })
  await folders.take('cursor')
  expect(Object.keys(folders.ours)).toEqual(['a'])
  expect(existsSync(join(folders.project, '.curfew/.gitignore'))).toBe(false)
})

it('a file that git already tracks is reported', async () => {
  spawnSync('git', ['init', '-q'], { cwd: folders.project })
  folders.put('./.curfew/mcp.json', { mcpServers: {} })
  spawnSync('git', ['add', '.curfew/mcp.json'], { cwd: folders.project })
  folders.put('.claude.json', {
    projects: { [folders.project]: { mcpServers: { local: { command: 'x' } } } },
  })
  expect((await folders.take('claude')).stdout).toContain('git rm --cached .curfew/mcp.json')
})

it('where no secret can be stored, nothing is written', async () => {
  folders.put('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { API_KEY: canary } } } })
  const { environment } = folders
  Object.defineProperty(folders, 'environment', {
    value: { ...environment, CURFEW_KEY_FILE: '' },
    configurable: true,
  })
  const { code, stderr } = await folders.take('cursor', '--store-secrets')
  Reflect.deleteProperty(folders, 'environment')
  expect(code).toBe(1)
  expect(stderr).not.toContain(canary)
  expect(folders.mine).toEqual({})
})

it.runIf(hasTerminal)('on a terminal a person is asked whether keys are moved', async () => {
  folders.put('.cursor/mcp.json', { mcpServers: { a: { command: 'x', env: { API_KEY: canary } } } })
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
    expect(folders.mine.a).toEqual({ command: 'x', env: { API_KEY: expected } })
    folders.put('.config/curfew/mcp.json', { mcpServers: {} })
  }
})
