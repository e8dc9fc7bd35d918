import { type ChildProcess, spawn } from 'node:child_process'
import { lutimesSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processIdentity, withLock } from '@curfew/core/internal'
import { afterEach, describe, expect, test } from 'vitest'
import { linux } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'

import { folder, keyFile, openStore } from './support/secret-folder.ts'

const started: ChildProcess[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

describe.runIf(linux)('several processes that use one lock', () => {
  test('a process that is killed while it stores secrets does not lose those of others', async () => {
    const [holder, output] = storeSecrets(['FIRST'], { HOLD: '1' })
    await until(() => output().includes('held'))
    const others = Array.from({ length: 8 }, (_, index) => storeSecrets([`A_${index}`, `B_${index}`])[0])
    // They wait until the holder is killed.
    expect(readlinkSync(join(folder, 'secrets.json.lock'))).toMatch(new RegExp(`^${holder.pid}-`))
    holder.kill('SIGKILL')
    expect(await Promise.all(others.map(exitCode))).toEqual(Array(8).fill(0))
    const names = (await (await openStore()).list()).map(({ name }) => name).sort()
    expect(names).toEqual(
      ['FIRST', ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((index) => [`A_${index}`, `B_${index}`])].sort(),
    )
    expect(readdirSync(folder).sort()).toEqual(['key', 'secrets.json'])
  })

  test('an abandoned lock is taken over by one process at a time', async () => {
    const file = join(folder, 'count')
    writeFileSync(file, '0')
    const start = (...args: string[]) => exitCode(run('locked-counter.js', [file, ...args]))
    const counters = Array.from({ length: 6 }, () => start('25'))
    const dying = Array.from({ length: 6 }, () => start('1', 'die'))
    expect(await Promise.all(counters)).toEqual(Array(6).fill(0))
    expect(await Promise.all(dying)).toEqual(Array(6).fill(null))
    expect(readFileSync(file, 'utf8')).toBe('150')
  })
})

describe('a lock that is held', () => {
  const [pid, , namespace] = processIdentity.split('-')
  const host = hostname().replace(/[^A-Za-z0-9.-]/g, '_')

  test.runIf(linux)('is taken over if its pid now belongs to another process', async () => {
    symlinkSync(`${pid}-1-${namespace}@${host}@1-1`, join(folder, 'file.lock'))
    expect(await withLock(join(folder, 'file'), async () => 'run')).toBe('run')
  })

  test.runIf(linux)('is taken over by one caller at a time if its owner is dead', async () => {
    for (let round = 0; round < 10; round++) {
      const file = join(folder, `file-${round}`)
      symlinkSync(`${pid}-1-${namespace}@${host}@${round}-1`, `${file}.lock`)
      let inside = 0
      let maxInside = 0
      const enter = async (): Promise<void> => {
        maxInside = Math.max(maxInside, ++inside)
        await new Promise((resolve) => setTimeout(resolve, 2))
        inside--
      }
      await Promise.all(Array.from({ length: 20 }, () => withLock(file, enter)))
      expect(maxInside).toBe(1)
    }
  })

  test('is taken over if the process that was taking it over was killed', async () => {
    const dead = (count: number): string => `4194303-1-${namespace}@${host}@${count}-1`
    symlinkSync(dead(1), join(folder, 'file.lock'))
    symlinkSync(dead(2), join(folder, `file.lock.${dead(1)}`))
    expect(await withLock(join(folder, 'file'), async () => 'run')).toBe('run')
    expect(readdirSync(folder)).toEqual(['key'])
  })

  test.each([
    ['a running process', `${processIdentity}@${host}@1-1`, /file\.lock: process \d+ has held this lock/],
    [
      'another machine',
      `4194303-1-${namespace}@elsewhere@1-1`,
      /process 4194303 has held this lock for more/,
    ],
    ['another container', `4194303-1-1@${host}@1-1`, /if it is not in use, delete the file$/],
    ['something outside the folder', '../../elsewhere', /another process has held this lock/],
  ])('of %s is not taken over; waiting for it is limited', async (_whose, owner, message) => {
    symlinkSync(owner, join(folder, 'file.lock'))
    let ran = false
    const waiting = withLock(
      join(folder, 'file'),
      async () => {
        ran = true
      },
      { waitMs: 60 },
    )
    await expect(waiting).rejects.toThrow(message)
    expect(ran).toBe(false)
    expect(readlinkSync(join(folder, 'file.lock'))).toBe(owner)
  })

  test('of another machine is taken over after ten minutes', async () => {
    const lock = join(folder, 'file.lock')
    symlinkSync(`1-1-1@elsewhere@1-1`, lock)
    lutimesSync(lock, new Date(), new Date(Date.now() - 601_000))
    expect(await withLock(join(folder, 'file'), async () => 'run')).toBe('run')
  })
})

function storeSecrets(names: string[], env: Record<string, string> = {}): [ChildProcess, () => string] {
  const child = run('store-secret.js', names, {
    ...env,
    ROOT: folder,
    CURFEW_SECRET_STORE: 'file',
    CURFEW_KEY_FILE: keyFile,
  })
  let text = ''
  child.stdout!.on('data', (chunk) => {
    text += String(chunk)
  })
  return [child, () => text]
}

function run(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const path = fileURLToPath(new URL(`./fixtures/${program}`, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  started.push(child)
  return child
}

function exitCode(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.once('close', resolve))
}

test('a lock that cannot be created is an error without its content', async () => {
  const path = join(folder, 'missing', 'file')
  await expect(withLock(path, async () => {})).rejects.toThrow(
    new Error(`the lock ${path}.lock cannot be created (ENOENT)`),
  )
})
