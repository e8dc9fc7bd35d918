import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ending, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home = ''
let project = ''
temporaryFolders((folders) => ({ home, project } = folders))

test('Ctrl-C during the first download leaves no broken npx cache behind', async () => {
  // The folder in which npx installs this package.
  const cached = join(home, 'npm', '_npx', '5b2dd62b9d0bddd4')
  const npx = join(home, 'npx')
  writeFileSync(npx, `#!/bin/sh\nmkdir -p "${cached}/concurrency.lock"\nexec sleep 600\n`)
  chmodSync(npx, 0o755)
  mkdirSync(join(home, '.config/curfew'), { recursive: true })
  const server = {
    command: npx,
    args: ['-y', '@modelcontextprotocol/server-everything'],
    env: { npm_config_cache: join(home, 'npm') },
  }
  writeFileSync(join(home, '.config/curfew/mcp.json'), JSON.stringify({ mcpServers: { everything: server } }))
  const child = startCurfew(['mcp', 'test'], { HOME: home, XDG_CONFIG_HOME: '' }, project)
  const ended = ending(child)
  await vi.waitFor(() => expect(existsSync(join(cached, 'concurrency.lock'))).toBe(true), 30_000)
  child.kill('SIGINT')
  await ended
  expect(child.signalCode).toBe('SIGINT')
  expect(existsSync(cached)).toBe(false)
}, 90_000)
