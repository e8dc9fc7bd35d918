import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const hasTmux = spawnSync('tmux', ['-V']).status === 0
if (!hasTmux) process.stdout.write('terminal tests are skipped: they need tmux\n')

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))

/** In a real terminal: what a person sees. */
describe.runIf(hasTmux)('curfew call in a terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-terminal-'))
  // A server of its own, so that nobody's sessions are touched.
  const tmux = (...args: string[]): string =>
    execFileSync('tmux', ['-S', join(folder, 'socket'), ...args], { encoding: 'utf8' })
  const screen = (): string => tmux('capture-pane', '-p', '-t', 'test')

  async function shows(expected: RegExp): Promise<string> {
    for (let tries = 0; tries < 200 && !expected.test(screen()); tries++) await sleep(50)
    expect(screen()).toMatch(expected)
    return screen()
  }

  function type(command: string): void {
    tmux('send-keys', '-t', 'test', `clear; ${command}; echo "exit=$?"`, 'Enter')
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
    tmux('new-session', '-d', '-s', 'test', '-x', '90', '-y', '24', '-c', folder, 'sh')
    tmux(
      'send-keys',
      '-t',
      'test',
      `PS1='$ '; export CURFEW_TRUST=1 HOME='${folder}'; curfew() { '${process.execPath}' '${bin}' "$@"; }`,
      'Enter',
    )
  })

  afterAll(() => {
    tmux('kill-server')
    rmSync(folder, { recursive: true, force: true })
  })

  it('shows output and progress while it runs, then the result once', async () => {
    type('curfew call script_steps')
    const during = await shows(/of 20 s [█░]{20} waiting/)
    expect(during).toContain('step one')
    const after = await shows(/exit=0/)
    expect(after).toContain('✓ script_steps')
    expect(after).not.toMatch(/[█░]/)
    expect(after.match(/two steps/g)).toHaveLength(1)
  })

  it('says which limit ran out, and who set it', async () => {
    type('curfew call script_steps --timeout 400ms')
    expect(await shows(/exit=124/)).toContain('its limit is 400 ms (set on the call)')
  })

  it('is cancelled by Ctrl-C', async () => {
    type('curfew call script_steps')
    await shows(/of 20 s/)
    tmux('send-keys', '-t', 'test', 'C-c')
    expect(await shows(/exit=130/)).toContain('CANCELLED')
  })
})
