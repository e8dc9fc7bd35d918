import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasProgram } from '../../../test/support/can-test.ts'
import { type Ended, ending, startCurfew } from './run-curfew.ts'

const canary = 'canary-value-41'
let home: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'curfew-home-'))
  writeFileSync(join(home, 'key'), Buffer.alloc(32, 3), { mode: 0o600 })
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

function curfew(args: string[], input = '', env: Record<string, string> = {}): Promise<Ended> {
  const child = startCurfew(
    args,
    {
      HOME: home,
      XDG_CONFIG_HOME: '',
      CURFEW_SECRET_STORE: 'file',
      CURFEW_KEY_FILE: join(home, 'key'),
      ...env,
    },
    home,
    'pipe',
  )
  child.stdin!.on('error', () => {})
  child.stdin!.end(input)
  return ending(child)
}

describe('curfew secret', () => {
  it('sets, lists and removes a secret, whose value is in no output and in no file', async () => {
    const set = await curfew(
      ['secret', 'set', 'MY_KEY', '--for', 'api.example.com', '--for', 'script_x'],
      `${canary}\n`,
    )
    expect(set).toMatchObject({ code: 0, stderr: '' })
    const list = await curfew(['secret', 'list'])
    expect(list.stdout).toBe('MY_KEY  api.example.com, script_x\n')
    const json = await curfew(['secret', 'list', '--json'])
    expect(JSON.parse(json.stdout).secrets).toEqual([
      { name: 'MY_KEY', uses: ['host:api.example.com', 'tool:script_x'] },
    ])
    for (const { stdout, stderr } of [set, list, json]) expect(stdout + stderr).not.toContain(canary)
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) => join(home, name))
    for (const file of files.filter((path) => statSync(path).isFile()))
      expect(readFileSync(file, 'latin1')).not.toContain(canary)
    expect((await curfew(['secret', 'rm', 'MY_KEY'])).code).toBe(0)
    expect(await curfew(['secret', 'rm', 'MY_KEY'])).toMatchObject({ code: 2 })
    expect((await curfew(['secret', 'list'])).stdout).toMatch(/^no secrets in the encrypted file /)
  })

  it('rm of an unknown secret requires no key and creates no file', async () => {
    expect(await curfew(['secret', 'rm', 'NOPE'], '', { CURFEW_KEY_FILE: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('NOPE'),
    })
    expect(readdirSync(home)).toEqual(['key'])
  })

  it.each<[string, string[], string, Record<string, string>, number, RegExp]>([
    ['a value on the command line', ['set', 'MY_KEY', canary], '', {}, 2, /visible to other users/],
    ['no name', ['set'], canary, {}, 2, /missing argument NAME/],
    ['an invalid name', ['set', 'a b'], canary, {}, 2, /NAME: expected letters, digits and _/],
    ['an empty value', ['set', 'MY_KEY'], '\n', {}, 2, /at least 4 characters/],
    ['no subcommand', [], '', {}, 2, /expected a subcommand: set, list, rm/],
    ['no key', ['set', 'MY_KEY'], canary, { CURFEW_KEY_FILE: '' }, 1, /CURFEW_PASSPHRASE.+CURFEW_KEY_FILE/],
    ['an unknown store', ['list'], '', { CURFEW_SECRET_STORE: 'cloud' }, 1, /auto, keychain or file/],
  ])('%s is rejected in one line', async (_name, args, input, env, code, expected) => {
    const ended = await curfew(['secret', ...args], input, env)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(expected)
    expect(ended.stderr.trim().split('\n')).toHaveLength(1)
    expect(ended.stderr).not.toContain(canary)
  })

  it.each([
    ['https://API.GitHub.com/user?x=1', 'host:api.github.com'],
    ['https://api.github.com:443', 'host:api.github.com'],
    ['https://api.github.com:8443/', 'host:api.github.com:8443'],
    ['API.GitHub.com', 'host:api.github.com'],
    ['api.github.com.', 'host:api.github.com'],
    ['bücher.example', 'host:xn--bcher-kva.example'],
    ['host:Intranet', 'host:intranet'],
    ['http://api.github.com/x', 'host:http://api.github.com'],
    ['http://127.0.0.1:8080/x', 'host:127.0.0.1:8080'],
    ['http://localhost', 'host:localhost:80'],
    ['localhost:8080', 'host:localhost:8080'],
    ['[::1]:8080', 'host:[::1]:8080'],
    ['script_Deploy', 'tool:script_Deploy'],
  ])('--for %s is %s', async (option, use) => {
    const set = await curfew(['secret', 'set', 'MY_KEY', '--for', option], canary)
    expect(set).toMatchObject({ code: 0, stderr: '' })
    const list = await curfew(['secret', 'list', '--json'])
    expect(JSON.parse(list.stdout).secrets).toEqual([{ name: 'MY_KEY', uses: [use] }])
  })

  it.each([
    ['https://', 'expected a host'],
    ['ftp://api.github.com', 'expected a host'],
    ['*.github.com', 'expected one host'],
    ['a.example,b.example', 'expected one host'],
    ['localhost:99999', 'expected a host'],
    ['', 'expected a host, a tool'],
    ['two words', 'expected a host, a tool'],
    ['script_x of /no/such/folder', 'expected a project folder that contains .curfew'],
  ])('--for %j is rejected, and nothing is stored', async (option, problem) => {
    const set = await curfew(['secret', 'set', 'MY_KEY', '--for', option], canary)
    expect(set).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(problem) })
    expect((await curfew(['secret', 'list'])).stdout).toMatch(/^no secrets/)
  })

  it('does not repeat a password in a URL', async () => {
    const set = await curfew(
      ['secret', 'set', 'MY_KEY', '--for', `https://me:${canary}@api.github.com`],
      canary,
    )
    expect(set).toMatchObject({ code: 2, stderr: expect.stringContaining('with a user name') })
    expect(set.stderr).not.toContain(canary)
  })

  it('keeps the uses when only the value changes, and lists by name', async () => {
    for (const name of ['C_KEY', 'A_KEY', 'B_KEY'])
      await curfew(['secret', 'set', name, '--for', 'a.example'], canary)
    await curfew(['secret', 'set', 'B_KEY'], 'another-value')
    expect((await curfew(['secret', 'list'])).stdout).toBe(
      'A_KEY  a.example\nB_KEY  a.example\nC_KEY  a.example\n',
    )
  })

  it('passes a script its declared secrets, and redacts them in the result', async () => {
    const folder = join(home, '.config', 'curfew', 'extensions', 'scripts', 'keyed')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'tool.json'), '{"description": "Use a key.", "secrets": ["MY_KEY"]}')
    writeFileSync(
      join(folder, 'script.js'),
      "const key = process.env.MY_KEY\nif (key === 'wrong') { console.error('invalid api key ' + key); process.exit(1) }\nconsole.log('used ' + key)",
    )
    const missing = await curfew(['call', 'script_keyed'])
    expect(missing).toMatchObject({ code: 1 })
    expect(JSON.parse(missing.stdout)).toMatchObject({ code: 'CREDENTIAL_REQUIRED' })
    expect(missing.stdout).toContain('curfew secret set MY_KEY --for script_keyed')
    await curfew(['secret', 'set', 'MY_KEY', '--for', 'script_keyed'], 'wrong')
    expect(JSON.parse((await curfew(['call', 'script_keyed'])).stdout)).toMatchObject({
      code: 'CREDENTIAL_REQUIRED',
    })
    await curfew(['secret', 'set', 'MY_KEY', '--for', 'script_keyed'], canary)
    expect(JSON.parse((await curfew(['call', 'script_keyed'])).stdout)).toMatchObject({
      value: 'used [secret MY_KEY]',
    })
    await curfew(['secret', 'set', 'MY_KEY', '--for', 'elsewhere.example'], canary)
    const denied = await curfew(['call', 'script_keyed'])
    expect(JSON.parse(denied.stdout)).toMatchObject({ code: 'DENIED' })
    expect(denied.stdout).not.toContain(canary)
  })
})

const hasKeyring = hasProgram('dbus-run-session') && hasProgram('gnome-keyring-daemon')

it.runIf(hasKeyring)('stores secrets in a real Secret Service if there is one', () => {
  const runtime = join(home, 'run')
  mkdirSync(runtime, { mode: 0o700 })
  const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
  const script = `
    printf 'test\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
    curfew() { '${process.execPath}' '${bin}' "$@"; }
    curfew doctor | grep keychain
    printf '${canary}' | curfew secret set IN_KEYCHAIN --for api.example.com
    curfew secret list
    curfew secret rm IN_KEYCHAIN
    curfew secret list`
  const { stdout } = spawnSync('dbus-run-session', ['--', 'sh', '-c', script], {
    env: { PATH: process.env.PATH, HOME: home, XDG_RUNTIME_DIR: runtime },
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(stdout.split('\n')).toEqual([
    expect.stringMatching(/^✓ keychain/),
    'stored IN_KEYCHAIN in the keychain, for api.example.com',
    'IN_KEYCHAIN  api.example.com',
    'removed IN_KEYCHAIN from the keychain',
    'no secrets in the keychain',
    '',
  ])
})
