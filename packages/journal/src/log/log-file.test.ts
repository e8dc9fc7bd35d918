import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createFakeClock, type FakeClock } from '@curfew/core/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogFile } from './log-file.ts'
import { logPath } from './log-folder.ts'

let state: string
let path: string
let clock: FakeClock
let warnings: string[]
const opened: LogFile[] = []

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'curfew-log-'))
  path = logPath(state, '/project')
  clock = createFakeClock()
  warnings = []
})

afterEach(async () => {
  for (const file of opened.splice(0)) await file.close()
  rmSync(state, { recursive: true, force: true })
})

function openFile(options: { maxBytes?: number; maxFiles?: number } = {}): LogFile {
  const file = new LogFile({
    path,
    maxBytes: 1_000_000,
    maxFiles: 3,
    clock,
    warn: (message) => warnings.push(message),
    ...options,
  })
  opened.push(file)
  return file
}

function names(): string[] {
  return readdirSync(dirname(path)).sort()
}

function makeFolder(): void {
  mkdirSync(dirname(path), { recursive: true })
}

test('any number of files have one listener for the end of the process', async () => {
  const before = process.listenerCount('exit')
  const files = Array.from({ length: 20 }, () => openFile())
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const file of files) await file.close()
  expect(process.listenerCount('exit')).toBe(before)
})

describe('the file', () => {
  test('is created with the first line, for this user only', async () => {
    const file = openFile()
    expect(readdirSync(state)).toEqual([])
    file.push('one\n')
    file.push('two\n')
    await file.flush()
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const folder of [dirname(path), dirname(dirname(path))])
      expect(statSync(folder).mode & 0o777).toBe(0o700)
  })

  test('one that others can read is made private', async () => {
    makeFolder()
    chmodSync(dirname(path), 0o755)
    writeFileSync(path, 'old\n', { mode: 0o644 })
    const file = openFile()
    file.push('new\n')
    await file.flush()
    expect(readFileSync(path, 'utf8')).toBe('old\nnew\n')
    expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
  })

  test('is created again if somebody removes it, with its folder', async () => {
    const file = openFile()
    file.push('one\n')
    await file.flush()
    rmSync(join(state, 'log'), { recursive: true })
    file.push('two\n')
    await file.flush()
    expect(readFileSync(path, 'utf8')).toBe('two\n')
    expect(warnings).toEqual([])
  })

  test('a line after the end is dropped', async () => {
    const file = openFile()
    await file.close()
    file.push('late\n')
    await file.flush()
    expect(existsSync(path)).toBe(false)
    expect(file.takeDropped()).toBe(1)
  })
})

describe('what is not our file is not written to', () => {
  test('a symbolic link', async () => {
    makeFolder()
    const target = join(state, 'target')
    writeFileSync(target, 'mine\n')
    symlinkSync(target, path)
    await expectRejected(/expected a regular file of this user/)
    expect(readFileSync(target, 'utf8')).toBe('mine\n')
  })

  test('a symbolic link that replaces it later', async () => {
    const target = join(state, 'target')
    const file = openFile()
    file.push('one\n')
    await file.flush()
    renameSync(path, target)
    symlinkSync(target, path)
    file.push('two\n')
    await file.flush()
    expect(warnings).toEqual([expect.stringMatching(/expected a regular file of this user/)])
    expect(readFileSync(target, 'utf8')).toBe('one\n')
  })

  test('a folder that is a symbolic link', async () => {
    const elsewhere = join(state, 'elsewhere')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(state, 'log'))
    await expectRejected(/expected a folder of this user, not a symbolic link/)
    expect(readdirSync(elsewhere)).toEqual([])
  })

  test('a folder at its path', async () => {
    mkdirSync(path, { recursive: true })
    await expectRejected(/EISDIR/)
  })

  async function expectRejected(message: RegExp): Promise<void> {
    const file = openFile()
    file.push('one\n')
    await file.flush()
    expect(warnings).toEqual([expect.stringMatching(message)])
    expect(file.takeDropped()).toBe(1)
  }
})

describe('a file that cannot be written', () => {
  test('is reported once, and tried again later', async () => {
    writeFileSync(join(state, 'log'), 'not a folder')
    const file = openFile()
    for (let line = 0; line < 3; line++) {
      file.push('lost\n')
      await file.flush()
      await clock.advance(3_000)
    }
    expect(warnings).toEqual([expect.stringContaining('the log cannot be written: ')])
    rmSync(join(state, 'log'))
    await clock.advance(5_000)
    expect([file.isAccepting, file.takeDropped()]).toEqual([true, 3])
    file.push('kept\n')
    await file.flush()
    expect(readFileSync(path, 'utf8')).toBe('kept\n')
  })

  test('a function for warnings that throws does no harm', async () => {
    writeFileSync(join(state, 'log'), 'not a folder')
    const file = new LogFile({
      path,
      maxBytes: 1_000,
      maxFiles: 1,
      warn: () => {
        throw new Error('broken')
      },
    })
    file.push('lost\n')
    await file.close()
    expect(file.takeDropped()).toBe(1)
  })

  test('the queue is bounded', async () => {
    const file = openFile({ maxBytes: 100_000_000 })
    const line = `${'x'.repeat(9_999)}\n`
    for (let count = 0; count < 1_000; count++) file.push(line)
    await file.flush()
    const written = statSync(path).size / line.length
    expect(written).toBe(Math.floor((4 << 20) / line.length))
    expect(file.takeDropped()).toBe(1_000 - written)
  })
})

describe('rotation', () => {
  const line = (number: number): string => `line ${String(number).padStart(4, '0')}\n`

  async function writeOneByOne(file: LogFile, count: number): Promise<void> {
    for (let number = 1; number <= count; number++) {
      file.push(line(number))
      await file.flush()
    }
  }

  test('keeps the newest files, each within the limit', async () => {
    await writeOneByOne(openFile({ maxBytes: 30, maxFiles: 2 }), 12)
    expect(names()).toEqual(['curfew.log', 'curfew.log.1', 'curfew.log.2'])
    expect(readFileSync(`${path}.2`, 'utf8')).toBe(line(4) + line(5) + line(6))
    expect(readFileSync(`${path}.1`, 'utf8')).toBe(line(7) + line(8) + line(9))
    expect(readFileSync(path, 'utf8')).toBe(line(10) + line(11) + line(12))
  })

  test('a line that is longer than the limit gets a file of its own', async () => {
    const file = openFile({ maxBytes: 30 })
    const long = `${'x'.repeat(100)}\n`
    file.push(line(1))
    await file.flush()
    file.push(long)
    await file.flush()
    await writeOneByOne(file, 1)
    expect([readFileSync(`${path}.2`, 'utf8'), readFileSync(`${path}.1`, 'utf8')]).toEqual([line(1), long])
    expect(readFileSync(path, 'utf8')).toBe(line(1))
  })

  test('after a rotation that was interrupted, no file is lost', async () => {
    makeFolder()
    // `.1` has become `.2`, but the log has not become `.1`.
    writeFileSync(`${path}.2`, 'second\n')
    writeFileSync(`${path}.3`, 'third\n')
    writeFileSync(path, 'a file that is too large for another line\n')
    await writeOneByOne(openFile({ maxBytes: 30 }), 1)
    expect(readFileSync(`${path}.3`, 'utf8')).toBe('third\n')
    expect(readFileSync(`${path}.2`, 'utf8')).toBe('second\n')
    expect(readFileSync(`${path}.1`, 'utf8')).toMatch(/^a file/)
  })

  test('two writers: what was renamed by one is noticed by the other', async () => {
    const first = openFile({ maxBytes: 30, maxFiles: 9 })
    const second = openFile({ maxBytes: 30, maxFiles: 9 })
    for (let number = 1; number <= 10; number++) {
      first.push(line(number))
      second.push(line(number + 100))
      await Promise.all([first.flush(), second.flush()])
    }
    const lines = names().flatMap((name) => readFileSync(join(dirname(path), name), 'utf8').split('\n'))
    expect(lines.filter((one) => one !== '').sort()).toEqual(
      Array.from({ length: 10 }, (_, index) => [line(index + 1), line(index + 101)])
        .flat()
        .map((one) => one.trimEnd())
        .sort(),
    )
    expect(warnings).toEqual([])
  })

  test('a file that cannot be renamed grows on, with one warning', async () => {
    makeFolder()
    mkdirSync(`${path}.1`)
    await writeOneByOne(openFile({ maxBytes: 30, maxFiles: 1 }), 9)
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(10)
    expect(warnings).toEqual([expect.stringContaining('the log cannot be rotated: ')])
  })
})
