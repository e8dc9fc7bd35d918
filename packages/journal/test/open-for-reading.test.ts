import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { journalPath } from '../src/store/journal-path.ts'
import { migrate } from '../src/store/migrate.ts'
import { openForReading } from '../src/store/open-for-reading.ts'
import { prepareFile } from '../src/store/prepare-file.ts'
import { atEnd, newRuntime, newStateFolder, openTestJournal } from './support/journal-setup.ts'

function read(path: string): DatabaseSync {
  const db = openForReading(path)!
  atEnd(() => db.close())
  return db
}

async function newJournal() {
  const { journal } = await openTestJournal(newStateFolder())
  const runtime = newRuntime()
  journal.attach(runtime)
  const call = async () => {
    await runtime.execute([{ id: '1', name: 'unknown' }])
    await journal.flush()
  }
  await call()
  return { journal, call }
}

test('a reader sees what is written while it is open, and cannot write', async () => {
  const { journal, call } = await newJournal()
  const db = read(journal.path)
  const count = db.prepare('SELECT count(*) AS count FROM calls')
  expect(count.get()!.count).toBe(1)
  await call()
  expect(count.get()!.count).toBe(2)
  expect(() => db.exec('DELETE FROM calls')).toThrow('readonly')
})

test('reading does not hold up writers', async () => {
  const { journal, call } = await newJournal()
  const rows = read(journal.path).prepare('SELECT * FROM calls').iterate()
  expect(rows.next().value).toMatchObject({ number: 1 })
  for (let index = 0; index < 20; index++) await call()
  expect(rows.next().done).toBe(true)
})

test('reading a journal that nobody has open changes no byte of it', async () => {
  const { journal } = await newJournal()
  await journal.close()
  const before = readFileSync(journal.path)
  expect(read(journal.path).prepare('SELECT count(*) AS count FROM calls').get()!.count).toBe(1)
  expect(readFileSync(journal.path).equals(before)).toBe(true)
  for (const suffix of ['-wal', '-shm']) {
    const found = statSync(journal.path + suffix, { throwIfNoEntry: false })
    expect((found?.mode ?? 0o600) & 0o777).toBe(0o600)
  }
})

test('there is no journal, or it has no tables yet', async () => {
  const path = journalPath(newStateFolder(), '/project')
  expect(openForReading(path)).toBeNull()
  await prepareFile(path)
  expect(openForReading(path)).toBeNull()
})

test('problems name the file', async () => {
  const path = journalPath(newStateFolder(), '/project')
  await prepareFile(path)
  writeFileSync(path, 'my notes\n'.repeat(100))
  expect(() => openForReading(path)).toThrow(`${path}: the journal cannot be read: it is not a journal`)
  const link = `${dirname(path)}/link`
  symlinkSync(path, link)
  expect(() => openForReading(link)).toThrow('expected a regular file of this user')
})

test('a newer version is not read', async () => {
  const path = journalPath(newStateFolder(), '/project')
  await prepareFile(path)
  const db = new DatabaseSync(path)
  migrate(db, '/project')
  db.exec('PRAGMA user_version = 1000')
  db.close()
  expect(() => openForReading(path)).toThrow('a newer version of Curfew')
})
