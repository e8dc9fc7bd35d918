import { expect, test } from 'vitest'
import { StderrCapture } from './stderr-capture.ts'

const secret = 'a-secret-value'
const redact = (text: string): string => text.replaceAll(secret, '[KEY]')

function capture(chunks: readonly string[]): string {
  const stderr = new StderrCapture()
  for (const chunk of chunks) stderr.append(Buffer.from(chunk))
  return stderr.toString(redact)
}

test.each([1, 7, 16_384, 40_000])('keeps everything that fits, in chunks of %i', (size) => {
  const text = Array.from({ length: 2_000 }, (_, line) => `line ${line}\n`).join('')
  const chunks = text.match(new RegExp(`[^]{1,${size}}`, 'g'))!
  expect(capture(chunks)).toBe(text)
})

test.each([1_000, 100_000])('keeps the beginning and the end, in chunks of %i', (size) => {
  const text = `first\n${'x'.repeat(50_000)}\n${'y'.repeat(50_000)}\nlast`
  const kept = capture(text.match(new RegExp(`[^]{1,${size}}`, 'g'))!)
  expect(kept).toMatch(/^first\nx+\n\.\.\.\ny+\nlast$/)
  expect(kept.length).toBeLessThan(32_768)
})

test('a secret that is cut is not shown in part', () => {
  for (let shift = 0; shift <= secret.length; shift++) {
    const start = 'x'.repeat(16_384 - shift)
    const end = 'y'.repeat(16_384 - shift)
    const kept = capture([start, secret, 'z'.repeat(30_000), secret, end])
    expect(kept).toMatch(/^x+\n\.\.\.\ny+$/)
  }
})

test('a secret across the parts is redacted if nothing was cut', () => {
  expect(capture(['x'.repeat(16_380), secret, 'y'])).toBe(`${'x'.repeat(16_380)}[KEY]y`)
})
