import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from './terminal-shell.ts'
import { hasTmux } from './tmux-terminal.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))

/** Runs in tmux, to test what a user sees. */
describe.runIf(hasTmux)('curfew call in a terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-terminal-'))
  // A separate tmux server, so that the user's sessions are not affected.
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', join(folder, 'socket'), ...args], { encoding: 'utf8' })
  const screen = (): string => tmux('capture-pane', '-p', '-t', 'test')

  async function shows(expected: RegExp): Promise<string> {
    await eventually(`the terminal shows ${expected}`, () => expected.test(screen()), screen)
    return screen()
  }

  function type(command: string): void {
    // Not `clear` in the shell: until that had run, a test would find what the previous command has shown.
    tmux('send-keys', '-R', '-t', 'test')
    tmux('send-keys', '-t', 'test', `${command}; echo "exit=$?"`, 'Enter')
  }

  beforeAll(() => {
    const script = join(folder, '.curfew', 'extensions', 'scripts', 'steps')
    mkdirSync(script, { recursive: true })
    writeFileSync(join(script, 'tool.json'), '{"description": "Take two steps.", "timeout": 20}')
    writeFileSync(
      join(script, 'script.py'),
      'import sys, time\nprint("step \\x1b[31mone", file=sys.stderr)\nprint("waiting", end="", file=sys.stderr)\n' +
        'time.sleep(1.5)\nprint("", file=sys.stderr)\nprint("two steps")\n',
    )
    writeFileSync(
      join(folder, 'profile'),
      `PS1='$ '; export CURFEW_TRUST=1; curfew() { '${process.execPath}' '${bin}' "$@"; }\n`,
    )
    tmux('new-session', '-d', '-s', 'test', '-x', '90', '-y', '24', '-c', folder, 'sleep 600')
  })

  // A shell per case, so that one that failed at a prompt does not receive the keys of the next.
  beforeEach(async () => {
    tmux('respawn-pane', '-k', '-t', 'test', '-c', folder, `HOME='${folder}' ENV='${folder}/profile' exec sh`)
    await shows(/^\$ *$/m)
  })

  afterAll(() => {
    tmux('kill-server')
    rmSync(folder, { recursive: true, force: true })
  })

  it('shows output and progress while it runs, then the result once', async () => {
    type('curfew call script_steps')
    await shows(/step one\n[\s\S]*^\S script_steps · \d s of 20 s [█░]{10}\n {2}waiting$/m)
    const after = await shows(/exit=0/)
    expect(after).toContain('✓ script_steps')
    expect(after).not.toMatch(/[█░]/)
    expect(after.match(/two steps/g)).toHaveLength(1)
  })

  it('shows the running calls of the demo', async () => {
    type('curfew demo')
    await shows(/^ {2}\S wait_forever · \d+ ms of 1 s [█░]{10}$/m)
    const after = await shows(/^ {2}✓ wait_forever /m)
    expect(after).not.toMatch(/wait_forever ·/)
    tmux('send-keys', '-t', 'test', 'C-c')
    await shows(/^\$ *$/m)
  })

  it('names the limit that was exceeded, and where it is set', async () => {
    type('curfew call script_steps --timeout 400ms')
    expect(await shows(/exit=124/)).toContain('its limit is 400 ms (set on the call)')
  })

  it('prompts for a secret without showing it, and continues', async () => {
    const keyed = join(folder, '.curfew', 'extensions', 'scripts', 'keyed')
    mkdirSync(keyed, { recursive: true })
    writeFileSync(join(keyed, 'tool.json'), '{"description": "Use a key.", "secrets": ["MY_KEY"]}')
    writeFileSync(join(keyed, 'script.js'), "console.log('used ' + process.env.MY_KEY.length)")
    writeFileSync(join(folder, 'key'), Buffer.alloc(32), { mode: 0o600 })
    type('CURFEW_SECRET_STORE=file CURFEW_KEY_FILE=key curfew call script_keyed')
    const question = `Enter MY_KEY for the tool script_keyed of ${realpathSync(folder)}:`
    await shows(new RegExp(`${question.replaceAll(' ', '\\s+')}\nMY_KEY:`))
    tmux('send-keys', '-t', 'test', '-l', 'hidden-key')
    await shows(/MY_KEY: •{10}/)
    tmux('send-keys', '-t', 'test', 'Enter')
    const after = await shows(/exit=0/)
    expect(after).toContain('used 10')
    expect(after).not.toContain('hidden-key')
  })

  it('the row makes room for a question', async () => {
    const picky = join(folder, '.curfew', 'extensions', 'scripts', 'picky')
    mkdirSync(picky, { recursive: true })
    const definition = {
      description: 'Use a key.',
      secrets: ['A_KEY'],
      readOnly: true,
      idempotent: true,
      timeout: 30,
    }
    writeFileSync(join(picky, 'tool.json'), JSON.stringify(definition))
    const reject =
      "if (process.env.A_KEY !== 'right') { console.error('token expired'); process.exitCode = 1 }"
    writeFileSync(join(picky, 'script.js'), `setTimeout(() => { ${reject} }, 2_000)`)
    writeFileSync(join(folder, 'key'), Buffer.alloc(32), { mode: 0o600 })
    type('CURFEW_SECRET_STORE=file CURFEW_KEY_FILE=key curfew call script_picky')
    await shows(/^A_KEY: *$/m)
    key('-l', 'wrong')
    key('Enter')
    await shows(/^\S script_picky · \d s of 30 s [█░]{10}$/m)
    expect(await shows(/rejected[\s\S]*^A_KEY: *$/m)).not.toMatch(/[█░]/)
    key('-l', 'right')
    key('Enter')
    await shows(/^\S script_picky · \d s of 30 s [█░]{10} · retried with another key$/m)
    const after = await shows(/exit=0/)
    expect(after).toContain('✓ script_picky')
    expect(after).not.toMatch(/[█░]|right|wrong/)
  })

  it('shows the servers that are being tested', async () => {
    const server = { command: 'sleep', args: ['100'], startTimeout: '3s' }
    writeFileSync(join(folder, '.curfew', 'mcp.json'), JSON.stringify({ mcpServers: { silent: server } }))
    type('curfew mcp test')
    await shows(/^\S silent starting · [\d.]+ (m?s) of 3 s [█░]{10}$/m)
    const after = await shows(/exit=1/)
    expect(after).toMatch(/^✗ silent /m)
    expect(after).not.toMatch(/starting ·/)
  })

  const withFile = 'CURFEW_SECRET_STORE=file'
  const key = (...keys: string[]): void => void tmux('send-keys', '-t', 'test', ...keys)

  function needKey({ keyFile = 'key' } = {}): void {
    const keyless = join(folder, '.curfew', 'extensions', 'scripts', 'keyless')
    mkdirSync(keyless, { recursive: true })
    writeFileSync(join(keyless, 'tool.json'), '{"description": "Need a key.", "secrets": ["NO_KEY"]}')
    writeFileSync(join(keyless, 'script.js'), "console.log('it ran')")
    writeFileSync(join(folder, 'key'), Buffer.alloc(32), { mode: 0o600 })
    type(
      `HOME='${folder}/fresh-${keyFile}' ${withFile} CURFEW_KEY_FILE='${keyFile}' curfew call script_keyless`,
    )
  }

  /** Ends what runs in the shell. */
  function terminate(): void {
    const shell = tmux('display-message', '-p', '-t', 'test', '#{pane_pid}').trim()
    const { stdout } = spawnSync('pgrep', ['-P', shell], { encoding: 'utf8' })
    process.kill(Number(stdout), 'SIGTERM')
  }

  it.each([
    ['C-c', /exit=130/, 'CANCELLED'],
    ['C-d', /exit=1\n/, 'CREDENTIAL_REQUIRED'],
    ['Enter', /exit=1\n/, 'CREDENTIAL_REQUIRED'],
  ])('%s at the prompt for a secret ends the call', async (pressed, exit, code) => {
    needKey()
    await shows(/\nNO_KEY:/)
    key(pressed)
    const after = await shows(exit)
    expect(after).toContain(code)
    expect(after).not.toContain('it ran')
  })

  it('a signal at the prompt for a secret ends the call, and its process', async () => {
    needKey()
    await shows(/\nNO_KEY:/)
    terminate()
    expect(await shows(/exit=130/)).toContain('CANCELLED')
  })

  it('a signal at the prompt for a passphrase ends the call, and its process', async () => {
    needKey({ keyFile: '' })
    await shows(/\nNO_KEY:/)
    key('-l', 'value')
    key('Enter')
    await shows(/\nNew passphrase:/)
    terminate()
    expect(await shows(/exit=130/)).toContain('CANCELLED')
  })

  it('wraps a long question between words', async () => {
    const name = `long_${'x'.repeat(40)}`
    const secret = `KEY_${'X'.repeat(40)}`
    const long = join(folder, '.curfew', 'extensions', 'scripts', name)
    mkdirSync(long, { recursive: true })
    writeFileSync(join(long, 'tool.json'), `{"description": "Need a key.", "secrets": ["${secret}"]}`)
    writeFileSync(join(long, 'script.js'), '')
    type(`${withFile} CURFEW_KEY_FILE=key curfew call script_${name}`)
    expect(await shows(new RegExp(`^${secret}: *$`, 'm'))).toMatch(
      new RegExp(`the tool\nscript_${name} of\\s`),
    )
    key('C-d')
    await shows(/exit=1\n/)
  })

  it('stores nothing after Ctrl-C', async () => {
    type(`${withFile} CURFEW_KEY_FILE=key curfew secret set UNFINISHED`)
    await shows(/Value of UNFINISHED:/)
    key('-l', 'half a va')
    await shows(/UNFINISHED: •{9}/)
    key('C-c')
    // The signal also ends the rest of the command line.
    await shows(/^\$ *$/m)
    key('echo "exit=$?"', 'Enter')
    expect(await shows(/exit=130/)).not.toContain('stored')
    type(`stty -a | grep -o ' echo '; ${withFile} CURFEW_KEY_FILE=key curfew secret list`)
    const after = await shows(/exit=0/)
    expect(after).toMatch(/^ echo/m)
    expect(after).not.toContain('UNFINISHED')
  })

  it('asks for a new passphrase twice, and later only once', async () => {
    const home = join(folder, 'fresh')
    type(`HOME='${home}' ${withFile} curfew secret set FIRST_KEY`)
    await shows(/Value of FIRST_KEY:/)
    key('-l', 'first-value')
    key('Enter')
    expect(await shows(/New passphrase:/)).toMatch(/choose a\s+passphrase for/)
    for (const [index, text] of ['horse', 'house', 'horse', 'horse'].entries()) {
      const answered = '[^]*passphrase: •{5}$'.repeat(index)
      await shows(new RegExp(`${answered}[^]*passphrase: *$`, 'm'))
      key('-l', text)
      await shows(new RegExp(`${answered}[^]*passphrase: •{5}$`, 'm'))
      key('Enter')
    }
    expect(await shows(/exit=0/)).toContain('The passphrases differ.')
    type(`HOME='${home}' ${withFile} curfew secret list`)
    await shows(/Passphrase for your secrets:/)
    key('-l', 'horse')
    key('Enter')
    expect(await shows(/exit=0/)).toContain('FIRST_KEY')
  })

  it('is cancelled by Ctrl-C', async () => {
    type('curfew call script_steps')
    await shows(/of 20 s/)
    tmux('send-keys', '-t', 'test', 'C-c')
    expect(await shows(/exit=130/)).toContain('CANCELLED')
  })
})
