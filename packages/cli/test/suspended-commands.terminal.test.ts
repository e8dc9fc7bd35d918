import { afterEach, beforeEach, describe, test } from 'vitest'
import { PromptSetup } from './prompt-support.ts'
import { eventually, hasTerminalShell, processesWith, TerminalShell } from './terminal-shell.ts'

let count = 0
const setup = new PromptSetup()

describe.runIf(hasTerminalShell()).each([
  ['on a terminal', '', '\r'],
  ['in lines of plain text', '--screen-reader', '\n'],
])('%s, a command of curfew', (_, options, enter) => {
  let shell: TerminalShell
  /** How long the command sleeps, unique to each test. */
  let tag: string

  beforeEach(async () => {
    tag = `8${process.pid}${++count}`
    shell = await TerminalShell.open(setup.project, setup.environment())
    shell.type(`curfew ${options}`)
    await shell.shows(options === '' ? /ask before changes/ : /> $/)
    shell.send(`!sleep ${tag}`)
    if (options === '') await shell.shows(new RegExp(`sleep ${tag}`))
    shell.send(enter)
    await isIn(/^[SR]$/)
  }, 60_000)

  afterEach(async () => {
    await shell.close()
    await eventually('no process is left', () => processesWith(tag).size === 0)
  }, 60_000)

  const state = (): string => [...processesWith(`^sleep ${tag}`).values()].join()
  const isIn = (states: RegExp): Promise<void> =>
    eventually(`its state is ${states}`, () => states.test(state()), state)

  test('stops with Ctrl-Z, and continues with fg', async () => {
    shell.press('Ctrl-Z')
    await isIn(/^T$/)
    await shell.isIdle()
    shell.type('fg')
    await isIn(/^[SR]$/)
  })

  test('ends when the terminal is closed', async () => {
    await shell.close()
    await eventually('it has ended', () => state() === '', state)
  })
})
