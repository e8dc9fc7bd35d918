import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { answer } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const require = createRequire(import.meta.url)
const server = join(
  dirname(require.resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
)

describe.runIf(hasTmux)('the key of a new MCP server', () => {
  it.each([
    ['is stored', 'hunter2-8f3a6c1d9e', /everything__echo/],
    ['is declined', null, /requires the secret SERVER_KEY/],
  ])('is asked for while the agent starts, and %s', async (_, value, expected) => {
    setup.write('mcp.json', {
      mcpServers: {
        everything: {
          command: process.execPath,
          args: [server, 'stdio'],
          env: { SERVER_KEY: 'secret:SERVER_KEY' },
        },
      },
    })
    const { model } = await setup.serve([answer('Fine.')])
    setup.writeUser('config.json', { model })
    const terminal = setup.open({ columns: 120, rows: 50 })
    await terminal.shows(/^\$ *$/m)
    terminal.enter('clear; curfew')
    await asked(terminal, /Secret SERVER_KEY[\s\S]*waiting for the MCP servers/)
    if (value !== null) {
      terminal.type(value)
      await terminal.shows(/•{10}/)
    }
    terminal.press(value === null ? 'Escape' : 'Enter')
    await terminal.shows(/ask before changes/)
    if (value === null) terminal.press('C-g')
    else terminal.enter('/tools')
    await terminal.shows(expected)
    terminal.enter('Hello')
    await terminal.shows(/Fine\./)
    if (value !== null) expect(setup.stored()).not.toContain(value)
  })
})
