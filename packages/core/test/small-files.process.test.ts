import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSmallFile, readSmallFileIfAny, replaceFile } from '@curfew/core/internal'
import { expect, onTestFinished, test } from 'vitest'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'curfew-small-files-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

test('a small file is read completely, and a missing one is null', () => {
  const file = join(folder(), 'file')
  expect(readSmallFile(file, 10)).toBeNull()
  expect(readSmallFile(join(file, 'below'), 10)).toBeNull()
  writeFileSync(file, '')
  expect(readSmallFile(file, 10)?.toString()).toBe('')
  expect(readSmallFile(join(file, 'below'), 10)).toBeNull()
  writeFileSync(file, '0123456789')
  expect(readSmallFile(file, 10)?.toString()).toBe('0123456789')
})

test.each([
  ['a FIFO', (path: string) => execFileSync('mkfifo', [path]), 'is not a file'],
  [
    'a link to a FIFO',
    (path: string) => {
      execFileSync('mkfifo', [`${path}.fifo`])
      symlinkSync(`${path}.fifo`, path)
    },
    'is not a file',
  ],
  ['a folder', (path: string) => mkdirSync(path), 'is not a file'],
  ['a device without an end', (path: string) => symlinkSync('/dev/zero', path), 'is not a file'],
  ['a large file', (path: string) => writeFileSync(path, '0123456789+'), 'expected at most 10 bytes, got 11'],
])('%s is neither waited for nor read', (_name, create, problem) => {
  const path = join(folder(), 'file')
  create(path)
  expect(() => readSmallFile(path, 10)).toThrow(new Error(problem))
  expect(readSmallFileIfAny(path, 10)).toBeNull()
})

test.skipIf(process.platform !== 'linux')('a file whose size is unknown is read up to the limit', () => {
  expect(readSmallFile('/proc/self/status', 1 << 20)?.toString()).toContain('\nPid:')
  expect(() => readSmallFile('/proc/self/status', 100)).toThrow('expected at most 100 bytes, got ')
})

test('what a killed process has left is removed with the next change', async () => {
  const file = join(folder(), 'file')
  const module = import.meta.resolve('@curfew/core/internal')
  const program = `
    const fs = await import('node:fs')
    const { processIdentity } = await import(${JSON.stringify(module)})
    fs.writeFileSync(${JSON.stringify(file)} + '.' + processIdentity + '-1.new', 'half')
    process.stdout.write('written')
    setInterval(() => {}, 1_000)
  `
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  await replaceFile(file, 'one')
  expect(readdirSync(join(file, '..')).length).toBe(2)
  child.kill('SIGKILL')
  await once(child, 'close')
  writeFileSync(`${file}.2-other.new`, 'not ours')
  await replaceFile(file, 'two')
  expect(readdirSync(join(file, '..')).sort()).toEqual(['file', 'file.2-other.new'])
  expect(readFileSync(file, 'utf8')).toBe('two')
})
