import type { WriteStream } from 'node:tty'
import { chooseTheme } from '../tui/theme/choose-theme.ts'
import { colorCount, createTheme, type Theme } from '../tui/theme/theme.ts'

/** The colours of a command that only prints lines, and does not ask the terminal for its background. */
export function liveTheme(stream: WriteStream): Theme {
  const colorDepth = stream.getColorDepth()
  const name = chooseTheme({ env: process.env, setting: 'auto', background: null, colorDepth })
  return createTheme(name, colorCount(colorDepth))
}
