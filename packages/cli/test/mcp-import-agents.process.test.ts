import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importFolders } from './import-support.ts'

const folders = importFolders()
// Other systems have other folders for settings.
const settings = process.platform === 'darwin' ? 'Library/Application Support' : '.config'

interface AgentCase {
  readonly agent: string
  readonly title: string
  readonly file: string
  readonly text: string
  readonly imported: object
  /** The file after `--apply`, with `CURFEW` for the command. */
  readonly applied: string
}

const cases: readonly AgentCase[] = [
  {
    agent: 'vscode',
    title: 'VS Code',
    file: `${settings}/Code/User/mcp.json`,
    text: `{
	// mine
	"inputs": [{ "id": "key", "type": "promptString", "password": true }],
	"servers": {
		"a": { "type": "stdio", "command": "a", "env": { "KEY": "\${input:key}" } },
		"bad": { "url": "unix:///tmp/x" }, // keep
	}
}
`,
    imported: { a: { type: 'stdio', command: 'a', env: { KEY: 'secret:KEY' } } },
    applied: `{
	// mine
	"inputs": [{ "id": "key", "type": "promptString", "password": true }],
	"servers": {
		"bad": { "url": "unix:///tmp/x" }, // keep
		"curfew": {
			"type": "stdio",
			"command": "NODE",
			"args": ["CURFEW", "mcp", "--name-limit", "51"]
		}
	}
}
`,
  },
  {
    agent: 'windsurf',
    title: 'Windsurf',
    file: '.codeium/windsurf/mcp_config.json',
    text: '{"mcpServers":{"a":{"serverUrl":"https://a.example/mcp"}}}',
    imported: { a: { url: 'https://a.example/mcp' } },
    applied: `{"mcpServers":{
  "curfew": {
    "command": "NODE",
    "args": ["CURFEW", "mcp", "--name-limit", "51"]
  }
}}`,
  },
  {
    agent: 'zed',
    title: 'Zed',
    file: '.config/zed/settings.json',
    text: `// Zed
{
  "theme": "One",
  "context_servers": {
    "a": { "command": { "path": "a", "args": ["b"] } },
  },
}
`,
    imported: { a: { command: 'a', args: ['b'] } },
    applied: `// Zed
{
  "theme": "One",
  "context_servers": {
    "curfew": {
      "command": "NODE",
      "args": ["CURFEW", "mcp"],
      "timeout": 3600
    }
  },
}
`,
  },
  {
    agent: 'opencode',
    title: 'opencode',
    file: '.config/opencode/opencode.json',
    text: `{
  "mcp": { // mine
    "a": { "type": "local", "command": ["a", "b"], "environment": { "X": "{env:HOME}" } }
  },
  "theme": "x"
}
`,
    imported: { a: { command: 'a', args: ['b'], env: { X: '${HOME}' } } },
    applied: `{
  "mcp": { // mine
    "curfew": {
      "type": "local",
      "command": ["NODE", "CURFEW", "mcp", "--name-limit", "57"],
      "timeout": 3600000
    }
  },
  "theme": "x"
}
`,
  },
  {
    agent: 'opencode',
    title: 'opencode',
    file: '.config/opencode/opencode.jsonc',
    text: `{
  "mcp": {
    "timeout": { "request": 5 },
    "servers": {
      "a": { "type": "remote", "url": "https://a.example/mcp", "disabled": true }
    }
  }
}
`,
    imported: { a: { url: 'https://a.example/mcp', disabled: true } },
    applied: `{
  "mcp": {
    "timeout": { "request": 5 },
    "servers": {
      "curfew": {
        "type": "local",
        "command": ["NODE", "CURFEW", "mcp", "--name-limit", "57"],
        "timeout": {
          "request": 3600000
        }
      }
    }
  }
}
`,
  },
  {
    agent: 'claude-desktop',
    title: 'Claude Desktop',
    file: `${settings}/Claude/claude_desktop_config.json`,
    text: '{\r\n  "mcpServers": {\r\n    "a": { "command": "a", "args": ["${HOME}"] }\r\n  }\r\n}\r\n',
    imported: { a: { command: 'a', args: ['$${HOME}'] } },
    applied:
      '{\r\n  "mcpServers": {\r\n    "curfew": {\r\n      "command": "NODE",\r\n      "args": ["CURFEW", "mcp", "--name-limit", "51"]\r\n    }\r\n  }\r\n}\r\n',
  },
]

describe.skipIf(process.platform === 'win32')('imports the servers, and --apply edits the file', () => {
  it.each(cases)('$title: $file', async ({ agent, title, file, text, imported, applied }) => {
    const path = folders.write(file, text)
    const { code, stdout, stderr } = await folders.import(agent, '--apply')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(folders.userServers).toEqual(imported)
    expect(stdout).toContain(`; restart ${title}\n`)
    expect(readFileSync(`${path}.before-curfew`, 'utf8')).toBe(text)
    expect(withoutPaths(readFileSync(path, 'utf8'))).toBe(applied)
  })
})

/** The paths depend on the machine, and a long array is written on several lines. */
function withoutPaths(text: string): string {
  return text
    .replaceAll(/"[^"]*curfew\.cjs"/g, '"CURFEW"')
    .replaceAll(JSON.stringify(process.execPath), '"NODE"')
    .replaceAll(
      /\[\s+("(?:NODE|CURFEW)"[^\]]*?)\s+\]/g,
      (_found, items: string) => `[${items.replaceAll(/,\s+/g, ', ')}]`,
    )
}

it('the repository’s files are not trusted, because approvals cannot be read', async () => {
  folders.write('./.vscode/mcp.json', { servers: { v: { command: '${workspaceFolder}/v' } } })
  folders.write('./.zed/settings.json', { context_servers: { z: { command: 'z' } } })
  folders.write('./opencode.json', { mcp: { o: { type: 'local', command: ['o'] }, off: { enabled: false } } })
  folders.write('./.opencode/opencode.jsonc', '{ "mcp": { "p": { "type": "local", "command": ["p"] } } }')
  for (const agent of ['vscode', 'zed', 'opencode'])
    expect((await folders.import(agent, '--apply')).stdout).toContain('this project is not trusted yet')
  expect(folders.userServers).toEqual({})
  expect(folders.projectServers).toEqual({
    v: { command: `${folders.project}/v` },
    z: { command: 'z' },
    o: { command: 'o' },
    off: { disabled: true },
    p: { command: 'p' },
  })
})

it('opencode: servers whose tools are disabled stay disabled', async () => {
  const local = { type: 'local', command: ['x'] }
  folders.write('.config/opencode/opencode.json', {
    mcp: { one: local, two: local, three: local },
    tools: { one: false, 'tw*': false, three_drop: false, write: false },
  })
  await folders.import('opencode')
  expect(folders.userServers).toEqual({
    one: { command: 'x', disabled: true },
    two: { command: 'x', disabled: true },
    three: { command: 'x' },
  })
})

it.skipIf(process.platform === 'win32')(
  'VS Code: profiles, editions and the older settings.json',
  async () => {
    const user = `${settings}/Code/User`
    folders.write(
      `${user}/settings.json`,
      '{ "editor.x": 1, "mcp": { "servers": { "a": { "command": "a" } } }, }',
    )
    folders.write(`${user}/profiles/7f3a/mcp.json`, { servers: { b: { command: 'b' } } })
    folders.write(`${settings}/VSCodium/User/mcp.json`, { servers: { c: { command: 'c' } } })
    const { stdout } = await folders.import('vscode')
    expect(Object.keys(folders.userServers)).toEqual(['a', 'b', 'c'])
    expect(stdout).toContain('settings.json, "mcp", "servers": remove a\n')
    expect(stdout).toContain('VS Code (profile 7f3a), ~/')
    // Each needs its own entry.
    expect(stdout.match(/"curfew": \{/g)).toHaveLength(3)
  },
)

it('says how to store what the agent reads from files or asks for', async () => {
  folders.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: { docs: { serverUrl: 'https://a.example/mcp', headers: { 'X-Key': '${file:~/a key}' } } },
  })
  const { stdout } = await folders.import('windsurf')
  expect(stdout).toContain('docs: store the contents of ~/a key as the secret DOCS_A_KEY:\n')
  expect(stdout).toContain('curfew secret set DOCS_A_KEY --for a.example < ~/a\\ key\n')
})

it('the same server in another notation is no conflict', async () => {
  folders.write('.cursor/mcp.json', {
    mcpServers: {
      a: { command: 'npx', args: ['-y', 'a'], env: { X: '1', Y: '2' } },
      b: { type: 'streamableHttp', url: 'https://a.example:443/mcp/' },
    },
  })
  folders.write('.config/opencode/opencode.json', {
    mcp: {
      a: { type: 'local', command: ['cmd', '/c', 'npx', '--yes', 'a'], environment: { Y: '2', X: '1' } },
      b: { type: 'remote', url: 'https://a.example/mcp' },
    },
  })
  await folders.import('cursor')
  const { stdout } = await folders.import('opencode')
  expect(stdout).toMatch(
    /= {2}a {2}is already in .+\n {2}= {2}b {2}is already in .+\n\nthere was nothing to import\n/,
  )
  expect(stdout).toContain('"mcp": remove a, b\n')
})

it('recognizes Curfew in every notation', async () => {
  folders.write('.config/opencode/opencode.json', {
    mcp: { curfew: { type: 'local', command: ['npx', '-y', 'curfew', 'mcp'] } },
  })
  folders.write('.config/zed/settings.json', {
    context_servers: { c: { command: { path: 'curfew', args: ['mcp'] } } },
  })
  folders.write('.codeium/windsurf/mcp_config.json', {
    mcpServers: { curfew: { serverUrl: 'http://127.0.0.1:8787/mcp' } },
  })
  expect((await folders.import()).stdout).toMatch(/^no MCP servers were found/)
})
