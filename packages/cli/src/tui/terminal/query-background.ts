import { type Clock, systemClock } from '@curfew/core/internal'
import type { Background } from '../theme/choose-theme.ts'
import { isLight, type Rgb } from '../theme/luminance.ts'
import type { TerminalInput } from './terminal-input.ts'

/** For the colour of the background (OSC 11), and for the device attributes, which every terminal answers, in this order. */
const questions = '\u001b]11;?\u0007\u001b[c'

/**
 * Asks the terminal for its background. `null` if it does not answer in time, does not know, or is not in raw mode, in which it would echo
 * its answer. Everything that is typed meanwhile reaches the input.
 */
export function queryBackground(
  input: Pick<TerminalInput, 'isTTY' | 'isRaw' | 'onResponse' | 'onLost' | 'expectResponse'>,
  output: { write(text: string): unknown },
  timeoutMs: number,
  clock: Clock = systemClock,
): Promise<Background | null> {
  if (!input.isTTY || !input.isRaw) return Promise.resolve(null)
  return new Promise((resolve) => {
    const end = (background: Background | null): void => {
      for (const step of cleanup) step()
      resolve(background)
    }
    const timer = clock.setTimer(timeoutMs, () => end(null))
    const cleanup = [
      () => clock.clearTimer(timer),
      input.expectResponse(),
      input.onLost(() => end(null)),
      input.onResponse(({ introducer, body }) => {
        if (introducer === ']' && body.startsWith('11;')) {
          const color = parseColor(body.slice(3))
          end(color === null ? null : isLight(color) ? 'light' : 'dark')
        } else if (introducer === '[' && /^\?[\d;]*c$/.test(body)) end(null)
      }),
    ]
    output.write(questions)
  })
}

/** `rgb:ffff/ffff/ffff` with one to four digits each, `rgba:` with a fourth number, or `#ffffff`; `null` for anything else. */
export function parseColor(text: string): Rgb | null {
  const hex = '([\\da-f]{1,4})'
  const [, ...channels] =
    new RegExp(`^rgba?:${hex}/${hex}/${hex}(?:/[\\da-f]{1,4})?$`, 'i').exec(text) ??
    /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text) ??
    []
  if (channels.length !== 3) return null
  const [red, green, blue] = channels.map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1))
  return [red!, green!, blue!]
}
