import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const doctor = (...args: string[]) =>
  spawnSync(process.execPath, [bin, 'doctor', ...args], { encoding: 'utf8' })

test.runIf(process.platform === 'linux')('curfew doctor reports how commands are contained', () => {
  const { stdout, status } = doctor()
  expect(status).toBe(0)
  expect(stdout).toMatch(/^✓ node +v\d+/m)
  expect(stdout).toMatch(/^[✓✗] cgroup /m)
  expect(stdout).toMatch(/^[✓✗] namespace /m)
  expect(stdout).toMatch(/^✓ markers /m)
  expect(stdout).toMatch(/^commands are contained by: (cgroup|markers)$/m)
})

test('curfew doctor recommends the sandbox, or says how to install it', () => {
  expect(doctor().stdout.replace(/\s+/g, ' ')).toMatch(
    /✓ sandbox bubblewrap works; .*curfew config set sandbox=workspace|✗ sandbox commands of the agent cannot be sandboxed: .*bubblewrap/,
  )
})

test('curfew doctor reports problems in the configuration, and whether the project is trusted', () => {
  const home = mkdtempSync(join(tmpdir(), 'curfew-doctor-'))
  const folder = join(home, '.config', 'curfew', 'extensions', 'scripts', 'broken')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tool.json'), '{}')
  writeFileSync(
    join(home, '.config', 'curfew', 'mcp.json'),
    '{ "mcpServers": { "a": { "command": "x" }, "b": {} } }',
  )
  mkdirSync(join(home, '.curfew'))
  const { stdout } = spawnSync(process.execPath, [bin, 'doctor'], {
    cwd: home,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '', CURFEW_TRUST: '' },
    encoding: 'utf8',
  })
  rmSync(home, { recursive: true })
  expect(stdout).toMatch(/^✗ user .+\.config\/curfew \(0 tools, 1 MCP server\)$/m)
  expect(stdout).toMatch(/^✗ project .+\.curfew \(ignored, because it is not trusted; run curfew trust\)$/m)
  expect(stdout).toMatch(/^ {2}.+broken\/tool\.json: description: is required$/m)
  expect(stdout).toMatch(/^ {2}.+mcp\.json: mcpServers\.b: requires "command"/m)
})

test('curfew doctor reports a missing keychain, and the reason only as JSON', () => {
  const env = { ...process.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere', XDG_RUNTIME_DIR: '/nowhere' }
  const run = (...args: string[]): string =>
    spawnSync(process.execPath, [bin, 'doctor', ...args], { env, encoding: 'utf8' }).stdout
  const detail = 'no Secret Service in this session: secrets are stored in an encrypted file'
  expect(run()).toMatch(new RegExp(`^✗ keychain +${detail}$`, 'm'))
  const { findings } = JSON.parse(run('--json')) as { findings: { subject: string }[] }
  expect(findings.find(({ subject }) => subject === 'keychain')).toMatchObject({
    detail,
    reason: expect.stringMatching(/./),
  })
})

test('curfew doctor accepts --json and --help, and rejects an unknown option', () => {
  const { findings } = JSON.parse(doctor('--json').stdout) as { findings: { subject: string }[] }
  expect(findings.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['node', 'cgroup', 'namespace', 'markers', 'keychain', 'user']),
  )
  expect(doctor('--help')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Usage: curfew doctor'),
  })
  expect(doctor('--nope')).toMatchObject({ status: 2 })
})

test('curfew doctor shows where calls are recorded, and whether they can be', () => {
  const home = mkdtempSync(join(tmpdir(), 'curfew-doctor-'))
  const run = (env: object, ...args: string[]): string =>
    spawnSync(process.execPath, [bin, ...args], {
      cwd: home,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', ...env },
      encoding: 'utf8',
    }).stdout
  const before = run({}, 'doctor')
  const isCreated = existsSync(join(home, '.local'))
  run({}, 'call', 'nonexistent')
  const after = run({}, 'doctor')
  const off = run({ CURFEW_JOURNAL_ENABLED: 'false' }, 'doctor')
  writeFileSync(join(home, 'file'), '')
  const broken = run({ XDG_STATE_HOME: join(home, 'file') }, 'doctor')
  rmSync(home, { recursive: true })
  expect(before).toMatch(/^✓ journal .+\/curfew\/journal\/\w{16}\.db \(nothing recorded yet\)$/m)
  expect(isCreated).toBe(false)
  expect(after).toMatch(/^✓ journal .+\.db \(\d+ KiB\)$/m)
  expect(after).toMatch(/^✓ log .+\/curfew\.log \(1 KiB\)$/m)
  expect(off).toMatch(/^✓ journal +off \(journal\.enabled\)$/m)
  expect(broken).toMatch(/^✗ journal .+: cannot be written \(ENOTDIR\)$/m)
})
