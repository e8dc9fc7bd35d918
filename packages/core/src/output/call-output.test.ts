import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CallOutput } from './call-output.ts'
import { SpillDirectory } from './spill-directory.ts'

let folder: string
let errors: unknown[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-output-'))
  errors = []
})
afterEach(() => rmSync(folder, { recursive: true }))

function open(directory = new SpillDirectory(folder)): CallOutput {
  return new CallOutput('tool', directory, (error) => errors.push(error))
}

/** Reads everything from an offset on, in as many reads as it takes. */
async function readAll(output: CallOutput, from = 0): Promise<string> {
  let text = ''
  for (let at = from; ; ) {
    const read = await output.read(at)
    if (text !== '') expect(read.offset).toBe(at)
    if (read.next === at) return text
    text += read.text
    at = read.next
  }
}

const characters = fc.constantFrom('a', 'é', '€', '😀', '\n', '𝒳')

test('all output can be read back, from any offset, in any chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.string({ unit: characters, maxLength: 40 }), fc.integer({ min: 1, max: 2_000 })), {
        maxLength: 12,
      }),
      fc.nat(120_000),
      async (parts, from) => {
        const output = open()
        let whole = ''
        for (const [part, times] of parts) {
          const chunk = part.repeat(times).slice(0, 60_000).toWellFormed()
          expect(output.append(chunk)).toBe(whole.length)
          whole += chunk
          if (times % 3 === 0) expect(await readAll(output)).toBe(whole)
        }
        const whileRunning = await readAll(output)
        output.end()
        expect(whileRunning).toBe(whole)
        expect(await readAll(output)).toBe(whole)
        const lines = whole.split('\n').length - 1
        expect(output).toMatchObject({ length: whole.length, bytes: Buffer.byteLength(whole), lines })
        const start = Math.min(from, whole.length)
        const { offset } = await output.read(start)
        expect(offset === start || offset === start - 1).toBe(true)
        expect(await readAll(output, start)).toBe(whole.slice(offset))
        output.remove()
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)

test('short output stays in memory', async () => {
  const output = open()
  output.append('x'.repeat(16_384))
  expect(output.path).toBe(null)
  expect(await output.read(16_000)).toEqual({
    text: 'x'.repeat(384),
    offset: 16_000,
    next: 16_384,
    length: 16_384,
    ended: false,
    dropped: 0,
    attempts: [0],
  })
})

test('the file is complete UTF-8, readable only by its owner, and removed with the output', async () => {
  const output = open()
  const whole = '😀é'.repeat(20_000)
  output.append(whole)
  const path = output.path!
  output.end()
  expect(readFileSync(path, 'utf8')).toBe(whole)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(await output.read(0)).toMatchObject({ path, ended: true })
  output.remove()
  await expect.poll(() => existsSync(path)).toBe(false)
})

test('one read is bounded and never splits a surrogate pair', async () => {
  const output = open()
  output.append(`a${'😀'.repeat(40_000)}`)
  const first = await output.read(0)
  expect(first.text.length).toBe(65_535)
  expect(first.next).toBe(65_535)
  const inPair = await output.read(2)
  expect(inPair.offset).toBe(1)
  expect(inPair.text.startsWith('😀')).toBe(true)
})

test('output beyond the limits is dropped and counted; what was kept can be read', async () => {
  const limits = { bytes: 400_000, files: 10, ageMs: 1e9 }
  const output = open(new SpillDirectory(folder, limits))
  for (let index = 0; index < 30; index++) output.append(`${String(index % 10).repeat(9_999)}\n`)
  output.end()
  expect(statSync(output.path!).size).toBeLessThanOrEqual(100_000)
  const { dropped, length } = await output.read(0)
  expect(length).toBe(300_000)
  expect(dropped).toBeGreaterThan(150_000)
  const kept = await readAll(output)
  expect(kept.length).toBe(length - dropped)
  expect(kept.startsWith(`${'0'.repeat(9_999)}\n${'1'.repeat(9_999)}\n`)).toBe(true)
  expect(output.lines).toBe(30)
  expect(await output.read(length - 5)).toMatchObject({ text: '', offset: length - 5, next: length })
  expect(errors).toEqual([])
})

test('all open files together stay within the limit of the directory', async () => {
  const limits = { bytes: 400_000, files: 100, ageMs: 1e9 }
  const directory = new SpillDirectory(folder, limits)
  const outputs = Array.from({ length: 8 }, () => open(directory))
  for (const output of outputs) output.append('x'.repeat(90_000))
  const sizes = outputs.map(({ path }) => (path === null ? 0 : statSync(path).size))
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(400_000)
  for (const output of outputs) output.remove()
})

test('ended output is removed early to make room for new output', async () => {
  const limits = { bytes: 400_000, files: 100, ageMs: 1e9 }
  const directory = new SpillDirectory(folder, limits)
  const outputs: CallOutput[] = []
  for (let index = 0; index < 8; index++) {
    const output = open(directory)
    output.append('x'.repeat(90_000))
    output.end()
    outputs.push(output)
    await expect
      .poll(() => outputs.filter(({ path }) => existsSync(path!)).length, { timeout: 20_000 })
      .toBe(Math.min(outputs.length, 4))
    await output.read(0)
  }
  expect(await readAll(outputs.at(-1)!)).toBe('x'.repeat(90_000))
  expect(await outputs[0]!.read(0)).toMatchObject({ text: '', next: 90_000, dropped: 90_000, ended: true })
  expect(await outputs[0]!.read(0)).not.toHaveProperty('path')
})

test('a disk that fails keeps what fits in memory', async () => {
  const file = join(folder, 'not-a-directory')
  writeFileSync(file, '')
  const output = open(new SpillDirectory(file))
  const chunk = `${'y'.repeat(9_999)}\n`
  for (let index = 0; index < 5; index++) output.append(chunk)
  output.end()
  expect(await readAll(output)).toBe((chunk + chunk).slice(0, 16_384))
  expect(output.lines).toBe(5)
  expect(await output.read(0)).toMatchObject({ length: 50_000, dropped: 33_616 })
  expect(errors.length).toBeGreaterThan(0)
})

test('closing the directory removes live output, also from a configured directory', async () => {
  const directory = new SpillDirectory(folder)
  const output = open(directory)
  output.append('z'.repeat(50_000))
  const result = await directory.write('result', 'kept', new AbortController().signal)
  await directory.close()
  expect(existsSync(output.path!)).toBe(false)
  expect(existsSync(result)).toBe(true)
  expect(await output.read(0)).toMatchObject({ text: '', dropped: 50_000 })
})

test('a retry continues the offsets', async () => {
  const output = open()
  output.append('first')
  output.startAttempt()
  output.append('second')
  expect(await output.read(0)).toMatchObject({ text: 'firstsecond', attempts: [0, 5] })
})
