import { EventEmitter } from 'node:events'
import xterm from '@xterm/headless'
import { render } from 'ink'
import { expect, onTestFinished, test } from 'vitest'
import { QuestionView } from '../src/tui/questions/question-view.tsx'
import { createTheme } from '../src/tui/theme/theme.ts'
import { approval, keyOf, setUpPanel } from './panel-setup.ts'

const columns = 50

/** Ink on a virtual terminal. */
function setUpScreen() {
  const terminal = new xterm.Terminal({ cols: columns, rows: 20, convertEol: true, allowProposedApi: true })
  const stdout = Object.assign(new EventEmitter(), {
    isTTY: true,
    columns,
    rows: 20,
    write: (text: string, onWritten?: unknown) => {
      terminal.write(text, typeof onWritten === 'function' ? (onWritten as () => void) : undefined)
      return true
    },
  })
  return {
    stdout: stdout as unknown as NodeJS.WriteStream,
    /** The lines that are not empty. */
    async lines(): Promise<string[]> {
      await new Promise<void>((resolve) => terminal.write('', resolve))
      const { active } = terminal.buffer
      return Array.from({ length: active.length }, (_, row) =>
        active.getLine(row)!.translateToString(true),
      ).filter((line) => line !== '')
    },
  }
}

test('a question appears, counts as visible once it is on the screen, and disappears', async () => {
  const { stdout, lines } = setUpScreen()
  const { panel, open, clock, answers } = setUpPanel({}, false)
  const props = { panel, width: columns, maxRows: 12, theme: createTheme('none') }
  const app = render(<QuestionView {...props} />, { stdout, interactive: true, patchConsole: false })
  onTestFinished(() => app.unmount())
  open(approval(1), approval(2))
  await app.waitUntilRenderFlush()
  expect((await lines()).slice(0, 3)).toEqual([
    'Approval 1 of 2',
    'Allow run with {"command":"npm test"}?',
    '❯ 1. Yes, once (y)',
  ])
  await clock.advance(1_000)
  panel.handleKey(...keyOf('y'))
  await app.waitUntilRenderFlush()
  expect((await lines())[0]).toBe('Approval 2 of 2')
  // Something else takes the screen, and with it the keys.
  app.rerender(<QuestionView {...props} key="again" />)
  await app.waitUntilRenderFlush()
  await clock.advance(400)
  expect(panel.getSnapshot()?.isReady).toBe(false)
  await clock.advance(200)
  expect(panel.getSnapshot()?.isReady).toBe(true)
  panel.handleKey(...keyOf('s'))
  await app.waitUntilRenderFlush()
  expect(await lines()).toEqual([])
  expect(answers).toEqual([
    [1, 'once'],
    [2, 'stop'],
  ])
})

test('lines are shown as they are: nothing is wrapped again, and pages have the size of the screen', async () => {
  const { stdout, lines } = setUpScreen()
  const { panel, open, clock } = setUpPanel({}, false)
  const message = `Allow run? Its arguments:\n  command: "${'ab  界 '.repeat(200)}"`
  const props = { panel, width: columns, maxRows: 12, theme: createTheme('none') }
  const app = render(<QuestionView {...props} />, { stdout, interactive: true, patchConsole: false })
  onTestFinished(() => app.unmount())
  open(approval(1, { message }))
  await app.waitUntilRenderFlush()
  await clock.advance(1_000)
  expect((await lines()).length).toBe(12)
  panel.handleKey(...keyOf('ctrl+o'))
  await app.waitUntilRenderFlush()
  for (let page = 0; page < 10; page++) {
    expect((await lines()).length).toBe(12)
    panel.handleKey(...keyOf('pageDown'))
    await app.waitUntilRenderFlush()
  }
  expect((await lines()).join('\n')).toMatch(/\d+-(\d+) of \1 ·/)
})
