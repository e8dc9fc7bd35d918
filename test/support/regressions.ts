import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const root = join(import.meta.dirname, '../..')
const recordFile = join(root, 'test/regressions.json')

/** The seeds that made a test fail, by file and name. */
type Regressions = Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>

/** Those of the tests of a file, by their names. */
export function regressionsOf(file: string, record: string = recordFile): Regressions[string] {
  return read(record)[relative(root, resolve(root, file))] ?? {}
}

export function recordedFiles(): string[] {
  return Object.keys(read(recordFile))
}

/** Adds the seed with which `npm run explore` made a test fail: from now on, the test runs with it first. */
export function addRegression(file: string, name: string, seed: number, record: string = recordFile): void {
  const all = read(record)
  const seeds = new Set(all[file]?.[name])
  const added = { ...all, [file]: { ...all[file], [name]: [...seeds.add(seed)] } }
  writeFileSync(record, `${JSON.stringify(added, null, 2)}\n`)
}

function read(record: string): Regressions {
  return existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : {}
}
