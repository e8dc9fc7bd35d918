import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { canTest } from '../../../test/support/can-test.ts'
import { newRuntime, newStateFolder, openTestJournal } from './support/journal-setup.ts'

/** Runs a command as another user. */
function asOther(...command: string[]): { status: number | null; stderr: string } {
  return spawnSync('setpriv', ['--reuid', '65534', '--regid', '65534', '--clear-groups', ...command], {
    encoding: 'utf8',
  })
}

const isRoot = process.getuid?.() === 0
const reason = !isRoot
  ? 'only root can run as another user'
  : asOther('true').status !== 0
    ? 'setpriv does not work'
    : null

async function openWithCall(state: string) {
  const { journal } = await openTestJournal(state)
  const runtime = newRuntime()
  journal.attach(runtime)
  await runtime.execute([{ id: '1', name: 'unknown' }])
  await journal.flush()
  return journal
}

test.runIf(canTest(reason))('another user can read neither the file nor what is beside it', async () => {
  const state = newStateFolder()
  const { path } = await openWithCall(state)
  // Even if the folders above are open, and the other user knows all names.
  for (let folder = dirname(dirname(path)); folder !== '/'; folder = dirname(folder))
    if ((statSync(folder).mode & 0o055) !== 0o055 && folder.startsWith(process.env.TMPDIR!))
      chmodSync(folder, 0o755)
  expect(asOther('test', '-x', state).status).toBe(0)
  const files = readdirSync(dirname(path))
  expect(files.map((name) => name.replace(/^.*\.db/, '')).sort()).toEqual(['', '-shm', '-wal'])
  for (const name of files) {
    const file = join(dirname(path), name)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(asOther('cat', file)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('Permission denied'),
    })
  }
  expect(asOther('ls', dirname(path)).status).not.toBe(0)

  // Without the protection of the folder, the files protect themselves.
  chmodSync(dirname(path), 0o755)
  for (const name of files) expect(asOther('cat', join(dirname(path), name)).status).toBe(1)
  expect(asOther('ls', dirname(path)).status).toBe(0)
})

test('permissions that are too wide are corrected', async () => {
  const state = newStateFolder()
  const { path, close } = await openWithCall(state)
  await close()
  chmodSync(path, 0o666)
  chmodSync(dirname(path), 0o777)
  await openWithCall(state)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700)
  for (const suffix of ['-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600)
})
