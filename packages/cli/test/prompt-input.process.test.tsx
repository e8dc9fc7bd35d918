import { Box, Static, Text, useInput, usePaste, useWindowSize } from 'ink'
import { type ReactNode, useState } from 'react'
import { afterEach, describe, expect, test } from 'vitest'
import { InputEditor, type InputEditorOptions } from '../src/tui/input/input-editor.ts'
import { PromptInput } from '../src/tui/input/prompt-input.tsx'
import { TerminalInput } from '../src/tui/terminal/terminal-input.ts'
import { createTheme } from '../src/tui/theme/theme.ts'
import { openTerminal, type VirtualTerminal, type VirtualTerminalOptions } from './virtual-terminal.ts'

const theme = createTheme('dark')
const renders = { app: 0 }

interface AppProps {
  readonly editor: InputEditor
  readonly isFocused?: boolean
  /** Changes the rows above the input. */
  readonly control?: { setAbove?: (rows: number) => void; print?: (line: string) => void }
}

function App({ editor, isFocused = true, control = {} }: AppProps): ReactNode {
  renders.app++
  const { columns } = useWindowSize()
  const [above, setAbove] = useState(2)
  const [printed, setPrinted] = useState<string[]>([])
  control.setAbove = setAbove
  control.print = (line) => setPrinted((lines) => [...lines, line])
  useInput((input, key) => {
    if (editor.handleKey(input, key)) return
    if (key.ctrl && input === 'r') editor.openSearch()
  })
  usePaste((text) => editor.paste(text))
  return (
    <Box flexDirection="column">
      <Static items={printed}>{(line) => <Text key={line}>{line}</Text>}</Static>
      {Array.from({ length: above }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are only counted
        <Text key={row}>row {row}</Text>
      ))}
      <Box paddingLeft={1} flexDirection="column">
        <PromptInput
          editor={editor}
          theme={theme}
          width={columns - 1}
          maxRows={6}
          isFocused={isFocused}
          placeholder="Ask anything"
        />
      </Box>
      <Text>status</Text>
    </Box>
  )
}

let terminal: VirtualTerminal | null = null
afterEach(async () => {
  await terminal?.close()
  terminal = null
})

async function open(
  options: Partial<InputEditorOptions> & VirtualTerminalOptions & Omit<AppProps, 'editor'> = {},
) {
  const submitted: string[] = []
  const entries = ['git status', 'npm test']
  const editor = new InputEditor({
    onSubmit: (text) => submitted.push(text),
    history: { entries, add: (text) => void entries.push(text) },
    ...options,
  })
  const { isFocused = true, control = {} } = options
  terminal = await openTerminal(<App editor={editor} isFocused={isFocused} control={control} />, {
    columns: 40,
    rows: 15,
    wrapInput: (stdin) => new TerminalInput(stdin),
    ...options,
  })
  return { terminal, editor, submitted, control }
}

describe('PromptInput', () => {
  test('shows what is typed, with the cursor of the terminal behind it', async () => {
    const { terminal } = await open()
    expect(terminal.screen()).toBe('row 0\nrow 1\n > Ask anything\nstatus')
    expect(terminal.cursor()).toEqual({ x: 3, y: 2, isVisible: true })
    await terminal.type('héllo 你好')
    expect(terminal.screen()).toBe('row 0\nrow 1\n > héllo 你好\nstatus')
    expect(terminal.cursor()).toEqual({ x: 13, y: 2, isVisible: true })
    await terminal.press('home')
    expect(terminal.cursor()).toEqual({ x: 3, y: 2, isVisible: true })
    await terminal.press('right', 'delete', 'alt+enter')
    expect(terminal.screen()).toBe('row 0\nrow 1\n > h\n   llo 你好\nstatus')
    expect(terminal.cursor()).toEqual({ x: 3, y: 3, isVisible: true })
  })

  test('the cursor stays in the input when the rows above it change', async () => {
    const { terminal, control } = await open()
    await terminal.type('abc')
    control.setAbove!(5)
    await terminal.settle()
    expect(terminal.screen()).toBe('row 0\nrow 1\nrow 2\nrow 3\nrow 4\n > abc\nstatus')
    expect(terminal.cursor()).toEqual({ x: 6, y: 5, isVisible: true })
    control.print!('printed')
    await terminal.settle()
    expect(terminal.cursor()).toEqual({ x: 6, y: 6, isVisible: true })
    control.setAbove!(0)
    await terminal.settle()
    expect(terminal.screen()).toBe('printed\n > abc\nstatus')
    expect(terminal.cursor()).toEqual({ x: 6, y: 1, isVisible: true })
  })

  test('without focus, the cursor is hidden', async () => {
    const { terminal } = await open({ isFocused: false })
    expect(terminal.cursor().isVisible).toBe(false)
  })

  test('the draft and the cursor come back after the input was replaced by something else', async () => {
    const { terminal, editor } = await open()
    await terminal.type('draft')
    await terminal.press('left')
    await terminal.rerender(<Text>A question?</Text>)
    expect(terminal.screen()).toBe('A question?')
    expect(terminal.cursor().isVisible).toBe(false)
    await terminal.rerender(<App editor={editor} />)
    expect(terminal.screen()).toBe('row 0\nrow 1\n > draft\nstatus')
    expect(terminal.cursor()).toEqual({ x: 7, y: 2, isVisible: true })
  })

  test('a key renders only the input, and writes little', async () => {
    const { terminal } = await open({ render: { incrementalRendering: true } })
    await terminal.type('a')
    const before = { renders: renders.app, bytes: terminal.bytesWritten }
    await terminal.type('b')
    expect(renders.app).toBe(before.renders)
    expect(terminal.bytesWritten - before.bytes).toBeLessThan(200)
    const after = terminal.bytesWritten
    await terminal.press('right', 'end', 'alt+x')
    expect(terminal.bytesWritten).toBe(after)
  })

  test('wraps, scrolls, and follows the size of the terminal', async () => {
    const { terminal } = await open()
    await terminal.type('one two three four five six seven eight')
    expect(terminal.screen()).toBe('row 0\nrow 1\n > one two three four five six seven\n   eight\nstatus')
    await terminal.resize(20, 15)
    expect(terminal.screen()).toContain(' > one two three\n   four five six\n   seven eight\nstatus')
    await terminal.resize(40, 15)
    expect(terminal.screen()).toContain(' > one two three four five six seven\n   eight\nstatus')
    await terminal.press('alt+enter', 'alt+enter', 'alt+enter', 'alt+enter', 'alt+enter')
    expect(terminal.screen()).toContain('   2 lines above\nstatus')
    await terminal.press('up', 'up', 'up', 'up', 'up', 'up')
    expect(terminal.screen()).toContain(
      ' > one two three four five six seven\n   eight\n\n\n\n   2 lines below\nstatus',
    )
    expect(terminal.cursor()).toMatchObject({ isVisible: true, x: 3 })
  })

  test('shows a menu below the input, and accepts with Tab', async () => {
    const names = ['/help', '/model', '/mcp']
    const { terminal } = await open({
      complete: (text, cursor) =>
        names
          .filter((value) => value.startsWith(text))
          .map((value) => ({ value, description: `about ${value}`, start: 0, end: cursor })),
    })
    await terminal.type('/m')
    expect(terminal.screen()).toBe(
      'row 0\nrow 1\n > /m\n ❯ /model  about /model\n   /mcp    about /mcp\nstatus',
    )
    expect(terminal.cursor()).toEqual({ x: 5, y: 2, isVisible: true })
    await terminal.press('down', 'tab')
    expect(terminal.screen()).toBe('row 0\nrow 1\n > /mcp\nstatus')
    await terminal.press('backspace', 'backspace')
    expect(terminal.screen()).toContain('❯ /mcp  about /mcp')
    await terminal.press('escape')
    await terminal.shows(/ > \/mc\nstatus/)
  })

  test('searches the history', async () => {
    const { terminal } = await open()
    await terminal.type('draft')
    await terminal.press('ctrl+r')
    await terminal.type('git')
    expect(terminal.screen()).toBe(
      'row 0\nrow 1\n > git status\n search: git  1 of 1 · Ctrl-R older · E…\nstatus',
    )
    expect(terminal.cursor()).toEqual({ x: 12, y: 3, isVisible: true })
    await terminal.press('enter')
    expect(terminal.screen()).toBe('row 0\nrow 1\n > git status\nstatus')
    expect(terminal.cursor()).toEqual({ x: 13, y: 2, isVisible: true })
  })

  test('collapses a long paste, and rejects one that is too long', async () => {
    const { terminal, submitted } = await open()
    const pasted = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\r')
    await terminal.paste(pasted)
    expect(terminal.screen()).toContain(' > [pasted 500 lines #1]\n')
    await terminal.press('enter')
    expect(submitted).toEqual([pasted.replaceAll('\r', '\n')])
    await terminal.paste('x'.repeat(5_000_000))
    expect(terminal.screen()).toContain('Not pasted: more than 1,000,000')
  })
})

describe.each([
  ['with a TerminalInput', (stdin: NodeJS.ReadStream) => new TerminalInput(stdin)],
  ['without', (stdin: NodeJS.ReadStream) => stdin],
])('keys %s', (_, wrapInput) => {
  test('text and Enter in one read', async () => {
    const { terminal, submitted } = await open({ wrapInput })
    await terminal.type('hello\r')
    await terminal.type('one\x15two\r')
    expect(submitted).toEqual(['hello', 'two'])
    expect(terminal.screen()).toContain('> Ask anything')
  })

  test('new lines', async () => {
    const { terminal, editor } = await open({ wrapInput })
    await terminal.type('a')
    await terminal.press('alt+enter')
    await terminal.type('b\n')
    await terminal.press('shift+enter')
    await terminal.type('c\\')
    await terminal.press('enter')
    expect(editor.text).toBe('a\nb\n\nc\n')
  })

  test('characters split between reads, and invalid bytes', async () => {
    const { terminal, editor } = await open({ wrapInput })
    await terminal.type(Buffer.from([0x61, 0xf0, 0x9f]))
    await terminal.type(Buffer.from([0x98, 0x80, 0xff]))
    expect(editor.text).toBe('a😀\ufffd')
  })

  test('a paste in parts', async () => {
    const { terminal, editor } = await open({ wrapInput })
    for (const part of ['\x1b[200', '~one\r', 'two\x1b[2', '01~']) await terminal.type(part)
    expect(editor.text).toBe('one\ntwo')
  })

  test('Escape closes the search', async () => {
    const { terminal } = await open({ wrapInput })
    await terminal.press('ctrl+r', 'escape')
    await terminal.shows(/> Ask anything\nstatus/)
  })
})

test('with a TerminalInput, keys that Ink does not know, and no replies of the terminal', async () => {
  const { terminal, editor } = await open()
  await terminal.type('a\x1b[27;2;13~\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[57404u')
  await terminal.type('one\rtwo\rthree\r')
  expect(editor.text).toBe('a\n5one\ntwo\nthree\n')
})
