import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ServerLogReader } from './read-server-log.ts'

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-log-'))
  path = join(folder, 'memory-01234567.log')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lineOf = (text: string): string => `${JSON.stringify({ at: 1, gateway: 2, kind: 'stderr', text })}\n`
const add = (...texts: string[]): void => appendFileSync(path, texts.map(lineOf).join(''))
const next = async (reader: ServerLogReader): Promise<string[]> =>
  (await reader.readNext()).map(({ text }) => text)

test('reads the last lines, also from the older file', async () => {
  expect(await new ServerLogReader(path).readLast(2)).toBeNull()
  add('a', 'b')
  renameSync(path, `${path}.1`)
  add('c')
  const lines = (await new ServerLogReader(path).readLast(2)) ?? []
  expect(lines.map(({ text }) => text)).toEqual(['b', 'c'])
})

test('loses no line when the file is rotated', async () => {
  const reader = new ServerLogReader(path)
  add('a')
  await reader.readLast(1)
  const half = lineOf('b').length / 2
  appendFileSync(path, lineOf('b').slice(0, half))
  expect(await next(reader)).toEqual([])
  appendFileSync(path, lineOf('b').slice(half))
  add('c')
  renameSync(path, `${path}.1`)
  expect(await next(reader)).toEqual(['b', 'c'])
  expect(await next(reader)).toEqual([])
  add('d')
  expect(await next(reader)).toEqual(['d'])
  add('e')
  renameSync(path, `${path}.1`)
  add('f')
  expect(await next(reader)).toEqual(['e', 'f'])
})
