import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolders } from './temporary-folders.ts'
import { eventually, hasTerminalShell, processesWith, TerminalShell } from './terminal-shell.ts'

const has = (program: string): boolean => spawnSync(program, ['--version']).status === 0

let count = 0

describe.runIf(hasTerminalShell())('on a terminal, curfew timeout', { timeout: 120_000 }, () => {
  let folder: string
  let home: string
  let shell: TerminalShell
  /** How long a command sleeps, unique to each test. */
  let tag: string
  temporaryFolders((folders) => {
    folder = folders.project
    home = folders.home
  })

  beforeEach(async () => {
    tag = `7${process.pid}${++count}`
    shell = await TerminalShell.open(folder, { HOME: home })
  }, 60_000)

  afterEach(async () => {
    await shell.close()
    await allGone()
  }, 60_000)

  const sleeping = `^sleep `
  const state = (): string => [...processesWith(`${sleeping}${tag}`).values()].join()
  const runs = (): Promise<void> => eventually('it runs', () => /^[SR]$/.test(state()), state)
  const isStopped = (): Promise<void> => eventually('it is stopped', () => state() === 'T', state)
  const allGone = (): Promise<void> => eventually('no process is left', () => processesWith(tag).size === 0)

  test.each([
    ['sh -c', 'sh -c "sleep TAG; echo second"', true],
    ['make', 'make -f rules', has('make')],
    ['npm run', 'npm run --silent slow', has('npm')],
  ])('Ctrl-C ends everything that %s runs before the limit', async (_, line, installed) => {
    if (!installed) {
      process.stdout.write(`skipped: ${line.split(' ')[0]} is not installed\n`)
      return
    }
    writeFileSync(join(folder, 'rules'), `all:\n\tsleep ${tag}\n\techo second\n`)
    writeFileSync(join(folder, 'package.json'), `{"scripts": {"slow": "sleep ${tag}; echo second"}}`)
    shell.type(`curfew timeout 600 ${line.replace('TAG', tag)}`)
    await runs()
    shell.press('Ctrl-C')
    expect(await shell.isIdle()).not.toMatch(/^second/m)
    expect(await shell.exitCode()).toBeGreaterThan(0)
    await allGone()
  })

  test('the shell sees Ctrl-C as a signal', async () => {
    shell.type(`curfew timeout 600 sleep ${tag}`)
    await runs()
    shell.press('Ctrl-C')
    expect(await shell.exitCode()).toBe(130)
  })

  test('a program that catches Ctrl-C receives it once', async () => {
    shell.type(`curfew timeout 600 sh -c 'trap "echo caught" INT; sleep ${tag}; sleep 1; echo end'`)
    await runs()
    shell.press('Ctrl-C')
    expect((await shell.shows(/end/)).match(/caught/g)).toHaveLength(1)
    expect(await shell.exitCode()).toBe(0)
  })

  test('Ctrl-Z stops the command, and fg continues it', async () => {
    shell.type(`curfew timeout 600 sh -c 'sleep ${tag}; echo second'`)
    await runs()
    shell.press('Ctrl-Z')
    await isStopped()
    await shell.isIdle()
    expect(new Set(processesWith(tag).values())).toEqual(new Set(['T']))
    shell.type('fg')
    await runs()
    shell.press('Ctrl-C')
    expect(await shell.isIdle()).not.toMatch(/^second/m)
  })

  test('the clock keeps running while the command is stopped', async () => {
    // Long enough to stop it in time on a busy machine.
    shell.type(`curfew timeout 8 sleep ${tag}`)
    await runs()
    shell.press('Ctrl-Z')
    await isStopped()
    await shell.isIdle()
    await sleep(8_000)
    shell.type('fg')
    expect(await shell.exitCode()).toBe(124)
  })

  test('the command can use the terminal', async () => {
    shell.type(`curfew timeout 600 sh -c 'exec < /dev/tty; echo up; read word; echo "read $word"'`)
    await shell.shows(/up/)
    shell.type('typed')
    await shell.shows(/read typed/)
    expect(await shell.exitCode()).toBe(0)
  })

  test('in the background it reads no input from the shell, and its limit applies', async () => {
    shell.type(`curfew timeout 1 sh -c 'echo ${tag}; cat' &`)
    await shell.shows(new RegExp(tag))
    shell.type('echo still "he"re; wait $!; echo ended with $?')
    const shown = await shell.shows(/ended with \d+/)
    expect(shown).toContain('still here')
    expect(shown).toContain('ended with 124')
  })

  describe('started by a script', () => {
    const script = (): string =>
      `sh -c '"$0" "$1" timeout 600 sh -c "sleep ${tag}; echo second"; echo after' $node $bin`

    test('Ctrl-C reaches everything', async () => {
      shell.type(script())
      await runs()
      shell.press('Ctrl-C')
      expect(await shell.isIdle()).not.toMatch(/^second/m)
      await allGone()
    })

    test('Ctrl-Z stops the command, and fg continues it', async () => {
      shell.type(script())
      await runs()
      shell.press('Ctrl-Z')
      await isStopped()
      await shell.isIdle()
      shell.type('fg')
      await runs()
      shell.press('Ctrl-C')
      await shell.isIdle()
      await allGone()
    })
  })

  test('Ctrl-Z also stops the program of curfew call', async () => {
    shell.type(
      `curfew call timeout '{"command_args": ["sh", "-c", "sleep ${tag}; echo second"], "seconds": 600}' --timeout 600`,
    )
    await runs()
    shell.press('Ctrl-Z')
    await isStopped()
    await shell.isIdle()
    shell.type('fg')
    await runs()
    shell.press('Ctrl-C')
    expect(await shell.exitCode()).toBe(130)
  })
})
