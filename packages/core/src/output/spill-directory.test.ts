import {
  existsSync,
  lutimesSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SpillDirectory } from './spill-directory.ts'

const { signal } = new AbortController()
const hour = 3_600_000
const limits = { bytes: 100, files: 5, ageMs: hour }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-spill-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('without a directory of its own, what was written is there until the runtime is closed', async () => {
  const spill = new SpillDirectory()
  const paths = await Promise.all(['a', 'b'].map((name) => spill.write(name, `all of ${name}`, signal)))
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['all of a', 'all of b'])
  expect(new Set(paths.map(dirname)).size).toBe(1)
  await spill.close()
  expect(existsSync(dirname(paths[0]!))).toBe(false)
})

test('in a directory that somebody chose, it stays', async () => {
  const spill = new SpillDirectory(join(folder, 'chosen'))
  const path = await spill.write('tool', 'all of it', signal)
  await spill.close()
  expect(dirname(path)).toBe(join(folder, 'chosen'))
  expect(readFileSync(path, 'utf8')).toBe('all of it')
})

test('a gateway that runs for weeks keeps so many bytes, the newest', async () => {
  const paths: string[] = []
  for (let index = 0; index < 20; index++) {
    const path = await new SpillDirectory(folder, limits).write(`tool-${index}`, 'x'.repeat(30), signal)
    // As old as its number says.
    lutimesSync(path, new Date(), new Date(Date.now() - (20 - index) * 1_000))
    paths.push(path)
  }
  expect(paths.filter(existsSync)).toEqual(paths.slice(-3))
})

test('so many files, and no older than that', async () => {
  const spill = new SpillDirectory(folder, limits)
  const old = await spill.write('old', 'x', signal)
  lutimesSync(old, new Date(), new Date(Date.now() - 2 * hour))
  for (let index = 0; index < 9; index++) await spill.write('tool', 'x', signal)
  expect(existsSync(old)).toBe(false)
  expect(readdirSync(folder)).toHaveLength(5)
})

test('files that were written at the same time count when the next one is', async () => {
  const spill = new SpillDirectory(folder, limits)
  await Promise.all(Array.from({ length: 9 }, () => spill.write('tool', 'x', signal)))
  const last = await spill.write('tool', 'x'.repeat(97), signal)
  expect(readdirSync(folder)).toHaveLength(4)
  expect(readFileSync(last, 'utf8')).toHaveLength(97)
})

test('whatever else is in that directory stays', async () => {
  for (const name of ['notes.txt', 'curfew-notes.txt']) {
    writeFileSync(join(folder, name), 'x'.repeat(500))
    lutimesSync(join(folder, name), new Date(0), new Date(0))
  }
  await new SpillDirectory(folder, limits).write('tool', 'x', signal)
  expect(readdirSync(folder)).toHaveLength(3)
})

test('a result that exceeds the limit is rejected, and no file is removed for it', async () => {
  const spill = new SpillDirectory(folder, limits)
  const kept = await spill.write('tool', 'x', signal)
  await expect(spill.write('tool', 'x'.repeat(101), signal)).rejects.toThrow(
    'expected at most 100 bytes, got 101',
  )
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([kept])
})

test('half a file is not left behind', async () => {
  const spill = new SpillDirectory(folder)
  await spill.write('tool', 'all of it', AbortSignal.abort())
  expect(readdirSync(folder)).toEqual([])
})

test('somebody who cleans up temporary folders does not stop it', async () => {
  const spill = new SpillDirectory()
  const first = await spill.write('tool', 'one', signal)
  rmSync(dirname(dirname(first)), { recursive: true })
  const second = await spill.write('tool', 'two', signal)
  expect(readFileSync(second, 'utf8')).toBe('two')
  await spill.close()
})
