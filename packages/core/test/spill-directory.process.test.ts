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
import { SpillDirectory } from '../src/output/spill-directory.ts'

const { signal } = new AbortController()
const hour = 3_600_000
const limits = { bytes: 100, files: 5, ageMs: hour }
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-spill-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

test('removes a temporary directory when it is closed', async () => {
  const spill = new SpillDirectory()
  const paths = await Promise.all(['a', 'b'].map((name) => spill.write(name, `all of ${name}`, signal)))
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['all of a', 'all of b'])
  expect(new Set(paths.map(dirname)).size).toBe(1)
  await spill.close()
  expect(existsSync(dirname(paths[0]!))).toBe(false)
})

test('the last temporary directory of several is removed with its parent', async () => {
  const spills = [new SpillDirectory(), new SpillDirectory()]
  const [path] = await Promise.all(spills.map((spill) => spill.write('tool', 'all of it', signal)))
  for (const spill of spills) await spill.close()
  expect(existsSync(dirname(dirname(path!)))).toBe(false)
})

test('keeps files in a configured directory', async () => {
  const spill = new SpillDirectory(join(folder, 'configured'))
  const path = await spill.write('tool', 'all of it', signal)
  await spill.close()
  expect(dirname(path)).toBe(join(folder, 'configured'))
  expect(readFileSync(path, 'utf8')).toBe('all of it')
})

test('removes the oldest files beyond the byte limit', async () => {
  const paths: string[] = []
  for (let index = 0; index < 20; index++) {
    const path = await new SpillDirectory(folder, limits).write(`tool-${index}`, 'x'.repeat(30), signal)
    // Lower numbers are older.
    lutimesSync(path, new Date(), new Date(Date.now() - (20 - index) * 1_000))
    paths.push(path)
  }
  expect(paths.filter(existsSync)).toEqual(paths.slice(-3))
})

test('removes files beyond the file limit or the age limit', async () => {
  const spill = new SpillDirectory(folder, limits)
  const old = await spill.write('old', 'x', signal)
  lutimesSync(old, new Date(), new Date(Date.now() - 2 * hour))
  for (let index = 0; index < 9; index++) await spill.write('tool', 'x', signal)
  expect(existsSync(old)).toBe(false)
  expect(readdirSync(folder)).toHaveLength(5)
})

test('counts files that were written concurrently', async () => {
  const spill = new SpillDirectory(folder, limits)
  await Promise.all(Array.from({ length: 9 }, () => spill.write('tool', 'x', signal)))
  const last = await spill.write('tool', 'x'.repeat(97), signal)
  expect(readdirSync(folder)).toHaveLength(4)
  expect(readFileSync(last, 'utf8')).toHaveLength(97)
})

test('keeps other files in the directory', async () => {
  for (const name of ['notes.txt', 'curfew-notes.txt']) {
    writeFileSync(join(folder, name), 'x'.repeat(500))
    lutimesSync(join(folder, name), new Date(0), new Date(0))
  }
  await new SpillDirectory(folder, limits).write('tool', 'x', signal)
  expect(readdirSync(folder)).toHaveLength(3)
})

test('rejects a result that exceeds the limit without removing files', async () => {
  const spill = new SpillDirectory(folder, limits)
  const kept = await spill.write('tool', 'x', signal)
  await expect(spill.write('tool', 'x'.repeat(101), signal)).rejects.toThrow(
    'expected at most 100 bytes, got 101',
  )
  expect(readdirSync(folder).map((name) => join(folder, name))).toEqual([kept])
})

test('leaves no partial file behind', async () => {
  const spill = new SpillDirectory(folder)
  await spill.write('tool', 'all of it', AbortSignal.abort())
  expect(readdirSync(folder)).toEqual([])
})

test('recreates a temporary directory that was removed', async () => {
  const spill = new SpillDirectory()
  const first = await spill.write('tool', 'one', signal)
  rmSync(dirname(dirname(first)), { recursive: true })
  const second = await spill.write('tool', 'two', signal)
  expect(readFileSync(second, 'utf8')).toBe('two')
  await spill.close()
})
