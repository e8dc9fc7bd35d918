import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { plainEnvironment } from './plain-environment.ts'
import { runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const tiny = fileURLToPath(new URL('fixtures/tiny-mcp-server.js', import.meta.url))
let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = join(folders.project, 'my project')
  writeServers(join(home, '.config/curfew'), server)
  writeServers(join(project, '.curfew'), server)
})

const server = { twice: { command: process.execPath, args: [tiny], env: { KEY: 'secret:A_KEY' } } }

function writeServers(folder: string, mcpServers: object): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'mcp.json'), JSON.stringify({ mcpServers }))
}

const environment = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  CURFEW_TRUST: '1',
  CURFEW_SECRET_STORE: 'file',
  CURFEW_PASSPHRASE: 'of the tests',
})
const curfew = (...args: string[]) => runCurfew(args, environment(), project)

/** Runs a command from the output in a shell, as a user would paste it. */
async function paste(output: string, advice: RegExp): Promise<string> {
  const [, rest] = advice.exec(output) ?? expect.fail(output)
  const line = `printf some-long-value | '${process.execPath}' '${bin}' ${rest}`
  const ended = await promisify(execFile)('sh', ['-c', line], {
    env: plainEnvironment(environment()),
    cwd: project,
  })
  return ended.stdout
}

it("the command in a missing-secret error stores it for the project's server, not the user's of that name", async () => {
  const missing = await curfew('mcp', 'test')
  expect(missing.code).toBe(1)
  await paste(missing.stdout, /store it with: curfew (.+)$/m)
  expect(await curfew('mcp', 'test')).toMatchObject({ code: 0, stderr: '' })
})

it('the advised commands store a secret for a host without a dot', async () => {
  const added = await curfew('mcp', 'add', 'near', 'https://intranet/mcp', '-H', 'X-Key: secret:NEAR_KEY')
  expect(await paste(added.stdout, /if it is not stored yet: curfew (.+)$/m)).toMatch(/for host:intranet$/m)
  const clear = await curfew('mcp', 'add', 'far', 'https://intranet/mcp', '-H', 'X-Key: sk-0123456789')
  expect(await paste(clear.stdout, /^ {2}curfew (.+)$/m)).toMatch(/for host:intranet$/m)
})
