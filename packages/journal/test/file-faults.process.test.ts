import { execFileSync } from 'node:child_process'
import {
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Worker } from 'node:worker_threads'
import type { CallResult } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { until } from '../../../test/support/until.ts'
import { journalPath } from '../src/store/journal-path.ts'
import { applicationId, schemaVersion } from '../src/store/journal-schema.ts'
import { withJournalFile } from '../src/store/read-database.ts'
import { callOnFaultyDisk, mountProblem } from './support/call-on-faulty-disk.ts'
import { startFixture } from './support/fixture-process.ts'
import {
  atEnd,
  callsIn,
  integrityOf,
  newRuntime,
  newStateFolder,
  openTestJournal,
  query,
  type TestJournal,
} from './support/journal-setup.ts'

const project = '/home/me/project'

/** Where the journal will be; its folder exists. */
function newPath(): { state: string; path: string } {
  const state = newStateFolder()
  const path = journalPath(state, project)
  mkdirSync(dirname(path), { mode: 0o700 })
  return { state, path }
}

/** Makes calls in a process whose journal is not usable. */
async function callWith({ journal }: TestJournal, count = 5): Promise<CallResult[]> {
  const runtime = newRuntime()
  journal.attach(runtime)
  const results = await runtime.execute(
    Array.from({ length: count }, (_, index) => ({ id: `${index}`, name: 'unknown' })),
  )
  await journal.flush()
  expect(journal.idOf(runtime, 1)).toMatch(/^\w{4}-\d+$/)
  return results
}

/** Expects that calls work, that there is exactly one warning, and that the file stays as it is. */
async function expectOneWarning(state: string, path: string, problem: string): Promise<void> {
  const before = contentOf(path)
  const opened = await openTestJournal(state)
  expect(await callWith(opened)).toHaveLength(5)
  await opened.journal.close()
  expect(opened.warnings).toEqual([expect.stringContaining(problem)])
  expect(opened.warnings[0]).toContain(path)
  expect(contentOf(path)).toEqual(before)
}

function contentOf(path: string): unknown {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? readFileSync(path).toString('latin1') : [found?.mode, found?.ino]
}

/** Also while the file is being created. */
function countIn(path: string): number {
  const count = withJournalFile(path, ({ database }) =>
    Number(database.prepare('SELECT count(*) AS count FROM calls').get()!.count),
  )
  return count ?? 0
}

async function newJournalFile(): Promise<{ state: string; path: string }> {
  const { state, path } = newPath()
  const opened = await openTestJournal(state)
  await callWith(opened, 500)
  await opened.journal.close()
  return { state, path }
}

describe('what is not a journal stays as it is', () => {
  test('a text file', async () => {
    const { state, path } = newPath()
    writeFileSync(path, 'my notes\n'.repeat(100), { mode: 0o600 })
    await expectOneWarning(state, path, 'it is not a journal; move it away to start a new one')
  })

  test('a database of another program', async () => {
    const { state, path } = newPath()
    const db = new DatabaseSync(path)
    db.exec('CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES (1)')
    db.close()
    await expectOneWarning(state, path, 'it is a database of another program; move it away')
  })

  test('a journal of a newer version', async () => {
    const { state, path } = newPath()
    const db = new DatabaseSync(path)
    db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion + 1}`)
    db.close()
    await expectOneWarning(state, path, 'a newer version of Curfew has written it; use that version')
  })

  test('a symbolic link, even to a journal', async () => {
    const { path: target } = await newJournalFile()
    const { state, path } = newPath()
    symlinkSync(target, path)
    await expectOneWarning(state, path, 'expected a regular file of this user')
    expect(callsIn(target)).toHaveLength(500)
  })

  test('a FIFO', async () => {
    const { state, path } = newPath()
    execFileSync('mkfifo', [path])
    await expectOneWarning(state, path, 'expected a regular file of this user')
  })

  test('a folder', async () => {
    const { state, path } = newPath()
    mkdirSync(path)
    await expectOneWarning(state, path, 'expected a regular file of this user')
  })

  test.runIf(canTest(process.getuid?.() === 0 ? null : 'only root can create files of other users'))(
    'a file of another user',
    async () => {
      const { state, path } = newPath()
      writeFileSync(path, '')
      chownSync(path, 65534, 65534)
      await expectOneWarning(state, path, 'expected a regular file of this user')
      expect(lstatSync(path).uid).toBe(65534)
    },
  )

  test('a folder of journals that is a link', async () => {
    const state = newStateFolder()
    const elsewhere = newStateFolder()
    symlinkSync(elsewhere, dirname(journalPath(state, project)))
    const opened = await openTestJournal(state)
    await callWith(opened)
    expect(opened.warnings).toEqual([expect.stringContaining('expected a folder of this user')])
    expect(existsSync(journalPath(elsewhere, project))).toBe(false)
  })

  test('a state folder that is a file', async () => {
    const state = newStateFolder()
    rmSync(state, { recursive: true })
    writeFileSync(state, 'a file')
    const opened = await openTestJournal(state)
    await callWith(opened)
    expect(opened.warnings).toEqual([expect.stringContaining('move it away')])
    expect(readFileSync(state, 'utf8')).toBe('a file')
  })
})

describe('a damaged journal stays as it is', () => {
  test.each([
    ['its first page', (bytes: Buffer) => bytes.fill(0xa5, 100, 4_096)],
    ['everything after the first page', (bytes: Buffer) => bytes.fill(0xa5, 4_096)],
    ['its header', (bytes: Buffer) => bytes.fill(0, 0, 20)],
  ])('%s', async (_name, damage) => {
    const { state, path } = await newJournalFile()
    const bytes = readFileSync(path)
    damage(bytes)
    writeFileSync(path, bytes)
    await expectOneWarning(state, path, 'move it away to start a new')
  })

  test('it is cut off', async () => {
    const { state, path } = await newJournalFile()
    truncateSync(path, 5_000)
    await expectOneWarning(state, path, 'move it away to start a new')
  })
})

describe('the file is deleted while it is in use', () => {
  test.each([
    ['alone', (path: string) => rmSync(path)],
    ['with its folder', (path: string) => rmSync(dirname(path), { recursive: true })],
    [
      'with everything beside it',
      (path: string) => {
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix)
      },
    ],
  ])('%s', async (_name, remove) => {
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    await callWith(opened)
    remove(path)
    await callWith(opened, 7)
    await until(() => countIn(path) === 7)
    // A process that starts now shares the new file.
    const other = await openTestJournal(state)
    await callWith(other, 3)
    expect(callsIn(path)).toHaveLength(10)
    expect(integrityOf(path)).toBe('ok')
    expect(opened.warnings).toEqual([
      `${path}: the journal was deleted or replaced while in use; calls are recorded in a new one`,
    ])
    expect(other.warnings).toEqual([])
    await opened.journal.close()
    expect(callsIn(path)).toHaveLength(10)
  })

  test('another process starts a new one before the first has noticed', async () => {
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    await callWith(opened)
    rmSync(path)
    const other = await openTestJournal(state)
    await callWith(other, 3)
    await callWith(opened, 7)
    await callWith(other, 3)
    await until(() => countIn(path) === 13)
    expect(integrityOf(path)).toBe('ok')
    expect(opened.warnings).toHaveLength(1)
    expect(other.warnings).toEqual([])
  })

  test('something else takes its place', async () => {
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    await callWith(opened)
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix)
    writeFileSync(path, 'my notes\n'.repeat(100), { mode: 0o600 })
    await callWith(opened)
    await until(() => opened.warnings.length > 0)
    await callWith(opened)
    await opened.journal.close()
    expect(opened.warnings).toEqual([expect.stringContaining('it is not a journal; move it away')])
    expect(readFileSync(path, 'utf8')).toBe('my notes\n'.repeat(100))
  })

  test('a newer version of Curfew takes it over', async () => {
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    await callWith(opened)
    const db = new DatabaseSync(path)
    db.exec(`PRAGMA user_version = ${schemaVersion + 1}`)
    db.close()
    await callWith(opened)
    await until(() => opened.warnings.length > 0)
    expect(opened.warnings).toEqual([expect.stringContaining('a newer version of Curfew')])
    expect(query(path, 'SELECT count(*) AS count FROM calls')).toEqual([{ count: 5 }])
  })
})

describe('another process has locked the file', () => {
  function lock(path: string): () => void {
    const db = new DatabaseSync(path)
    db.exec('BEGIN IMMEDIATE')
    let isLocked = true
    const release = (): void => {
      if (isLocked) db.close()
      isLocked = false
    }
    atEnd(release)
    return release
  }

  test('calls continue, and are recorded later', async () => {
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    const runtime = newRuntime()
    opened.journal.attach(runtime)
    const release = lock(path)
    for (let index = 0; index < 20; index++) {
      await runtime.execute([{ id: `${index}`, name: 'unknown' }])
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(callsIn(path)).toEqual([])
    release()
    await until(() => callsIn(path).length === 20)
    expect(opened.warnings).toEqual([])
  })

  test('close does not wait for long', async () => {
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    const runtime = newRuntime()
    opened.journal.attach(runtime)
    lock(path)
    await runtime.execute([{ id: '1', name: 'unknown' }])
    const start = performance.now()
    await opened.journal.close()
    expect(performance.now() - start).toBeLessThan(20_000)
    expect(integrityOf(path)).toBe('ok')
  })

  test('the journal opens when it is released', async () => {
    const { state, path } = await newJournalFile()
    const release = lock(path)
    const opened = await openTestJournal(state)
    const runtime = newRuntime()
    opened.journal.attach(runtime)
    await runtime.execute([{ id: '1', name: 'unknown' }])
    release()
    await until(() => callsIn(path).length === 501)
    expect(opened.warnings).toEqual([])
  })
})

describe('the thread', () => {
  test('ends unexpectedly', async () => {
    let thread: Worker | null = null
    const onWorker = (worker: Worker): void => {
      thread ??= worker
    }
    process.on('worker', onWorker)
    const { state, path } = newPath()
    const opened = await openTestJournal(state)
    process.off('worker', onWorker)
    await callWith(opened)
    await thread!.terminate()
    await until(() => opened.warnings.length > 0)
    await callWith(opened)
    await opened.journal.close()
    expect(opened.warnings).toEqual([
      `${path}: calls are not recorded: the thread that writes them has failed: it exited with code 1; restart this program`,
    ])
    expect(callsIn(path)).toHaveLength(5)
  })

  test('cannot be started', async () => {
    const state = newStateFolder()
    const flag = process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission'
    const child = startFixture('never-closes.js', [state], {
      flags: [flag, '--allow-fs-read=*', '--allow-fs-write=*', '--no-warnings'],
    })
    expect(await child.ended()).toBe(0)
    expect(child.output()).toMatch(
      /^warning: \S+\.db: calls are not recorded: the thread that writes them has failed: .*; restart this program\ndone\n$/,
    )
  })
})

describe.runIf(canTest(mountProblem()))('the disk', () => {
  test.each(['full', 'full at start'])(
    'is %s: calls are recorded when there is space again',
    async (problem) => {
      const { path, warnings, whileBroken, made, recorded, results } = await callOnFaultyDisk(problem)
      expect(results).toEqual(['success'])
      expect(whileBroken).toEqual([
        `${path}: calls are not recorded at the moment: the disk is full; free some space`,
      ])
      expect(warnings).toEqual(whileBroken)
      expect(recorded).toEqual({ calls: made, dropped: 0, integrity: 'ok' })
    },
  )

  test('is read-only', async () => {
    const { path, warnings, results } = await callOnFaultyDisk('read-only')
    expect(results).toEqual(['success'])
    expect(warnings).toEqual([
      `${path}: calls are not recorded: ${dirname(path)} is not writable (EROFS); make it writable for this user`,
    ])
  })
})
