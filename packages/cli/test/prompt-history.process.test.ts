import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runUnprivileged } from '../../../test/support/run-unprivileged.ts'
import { openPromptHistory, type StoredPromptHistory } from '../src/tui/input/prompt-history.ts'
import { temporaryFolders } from './temporary-folders.ts'

let stateFolder = ''
let project = ''
temporaryFolders((folders) => {
  stateFolder = join(folders.home, 'state', 'curfew')
  project = folders.project
})

const redact = (text: string): string => text.replaceAll('hunter2', '[redacted]')
const open = (): Promise<StoredPromptHistory> => openPromptHistory({ stateFolder, project, redact })

/** Opens it, adds entries, and waits until they are written. */
async function add(...entries: string[]): Promise<void> {
  const history = await open()
  for (const entry of entries) history.add(entry)
  await history.flush()
}

function file(): string {
  const folder = join(stateFolder, 'history')
  const [name] = readdirSync(folder).filter((found) => found.endsWith('.jsonl'))
  return join(folder, name!)
}

test('prompts are kept across runs, per project, readable only by their owner', async () => {
  await add('first', 'second\nline')
  await add('third')
  expect((await open()).entries).toEqual(['first', 'second\nline', 'third'])
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(file())).mode & 0o777).toBe(0o700)
  const other = await openPromptHistory({ stateFolder, project: `${project}/other`, redact })
  expect(other.entries).toEqual([])
})

test('neither secrets nor what starts with a space is stored', async () => {
  const history = await open()
  for (const text of ['the password is hunter2', ' private', '/secret TOKEN abcdef', '/secret TOKEN'])
    history.add(text)
  expect(history.entries).toEqual(['the password is [redacted]', '/secret TOKEN'])
  await history.flush()
  expect(readFileSync(file(), 'utf8')).toBe('"the password is [redacted]"\n"/secret TOKEN"\n')
})

test('the same prompt twice in a row is stored once', async () => {
  await add('a', 'a', 'b', 'a')
  expect((await open()).entries).toEqual(['a', 'b', 'a'])
})

test('damaged lines are ignored, and do not damage the next one', async () => {
  await add('before')
  appendFileSync(file(), 'not json\n{"an":"object"}\n"\\u001b[2Jclean\\u202e"\n""\n"cut off')
  await add('after')
  expect((await open()).entries).toEqual(['before', 'clean', 'after'])
})

test('at most 1,000 entries are stored', async () => {
  await add('first')
  const lines = Array.from({ length: 1_100 }, (_, index) => JSON.stringify(`prompt ${index}`))
  writeFileSync(file(), `${lines.join('\n')}\n`)
  const history = await open()
  expect(history.entries.length).toBe(1_000)
  expect(history.entries.at(-1)).toBe('prompt 1099')
  history.add('newest')
  await history.flush()
  const stored = readFileSync(file(), 'utf8').trimEnd().split('\n')
  expect(stored.length).toBe(900)
  expect(stored.at(-1)).toBe('"newest"')
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect((await open()).entries.at(-1)).toBe('newest')
})

test('at most one megabyte is stored, and longer prompts only remembered', async () => {
  const history = await open()
  for (let index = 0; index < 30; index++) history.add(`${index} ${'x'.repeat(50_000)}`)
  history.add('y'.repeat(200_000))
  await history.flush()
  expect(history.entries.at(-1)).toBe('y'.repeat(200_000))
  expect(statSync(file()).size).toBeLessThanOrEqual(1_000_000)
  expect((await open()).entries.at(-1)).toMatch(/^29 x/)
})

test('a huge file is not read as a whole', async () => {
  await add('first')
  appendFileSync(file(), `${'x'.repeat(50_000_000)}\n"last"\n`)
  expect((await open()).entries).toEqual(['last'])
})

test('several writers at once do not damage it', async () => {
  const histories = await Promise.all(Array.from({ length: 8 }, open))
  for (let index = 0; index < 50; index++)
    for (const [number, history] of histories.entries())
      history.add(`${number}: ${index} ${'long '.repeat(number * 50)}`)
  await Promise.all(histories.map((history) => history.flush()))
  const { entries } = await open()
  expect(entries.length).toBe(400)
  for (const [number] of histories.entries()) {
    const own = entries.filter((entry) => entry.startsWith(`${number}: `))
    expect(own.map((entry) => Number(entry.split(' ')[1]))).toEqual(own.map((_, index) => index))
  }
})

test('several writers at once do not damage it while it is shortened', async () => {
  const histories = await Promise.all(Array.from({ length: 4 }, open))
  for (let index = 0; index < 40; index++)
    for (const [number, history] of histories.entries())
      history.add(`${number}: ${index} ${'x'.repeat(20_000)}`)
  await Promise.all(histories.map((history) => history.flush()))
  const lines = readFileSync(file(), 'utf8').trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(20)
  for (const line of lines) expect(JSON.parse(line)).toMatch(/^\d: \d+ x{20000}$/)
  expect(statSync(file()).size).toBeLessThan(1_200_000)
  expect(readdirSync(dirname(file())).length).toBe(1)
})

test('without access, it works until the program ends', async () => {
  mkdirSync(dirname(stateFolder), { recursive: true })
  writeFileSync(stateFolder, 'not a folder')
  const history = await open()
  history.add('kept in memory')
  await history.flush()
  expect(history.entries).toEqual(['kept in memory'])
})

test('a symbolic link, a FIFO and a folder in its place are neither read nor written', async () => {
  await add('first')
  const path = file()
  const other = join(project, 'other')
  for (const replace of [
    () => {
      writeFileSync(other, '"foreign"\n')
      symlinkSync(other, path)
    },
    () => spawnSync('mkfifo', [path]),
    () => mkdirSync(path),
  ]) {
    spawnSync('rm', ['-rf', path])
    replace()
    const history = await open()
    history.add('mine')
    await history.flush()
    expect(history.entries).toEqual(['mine'])
  }
  expect(readFileSync(other, 'utf8')).toBe('"foreign"\n')
})

test('a file that cannot be written is no error', async () => {
  await add('first')
  chmodSync(file(), 0o400)
  const program = `
    import { openPromptHistory } from ${JSON.stringify(import.meta.resolve('../src/tui/input/prompt-history.ts'))}
    const [stateFolder, project] = process.argv.slice(1)
    const open = () => openPromptHistory({ stateFolder, project, redact: (text) => text })
    const history = await open()
    history.add('second')
    await history.flush()
    console.log((await open()).entries.join())`
  expect(runUnprivileged(program, stateFolder, project)).toBe('first\n')
})
