import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { recordedCalls } from '../../../test/support/read-recording.ts'
import { runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
temporaryFolders((folders) => {
  home = folders.home
})

function call(seconds: number): ReturnType<typeof runCurfew> {
  const env = { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }
  return runCurfew(['call', 'sleep', `seconds:=${seconds}`], env, home)
}

// With and without a thread.
it.each([0.01, 0.5])(
  'a journal that another program keeps locked: a call of %d s works, and ends soon',
  async (seconds) => {
    await call(0.01)
    const folder = join(home, '.local/state/curfew/journal')
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.db'))!)
    const database = new DatabaseSync(file)
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE runs SET dropped = 0')
    const startedAt = performance.now()
    const { code, stdout, stderr } = await call(seconds)
    database.exec('ROLLBACK')
    database.close()
    expect([code, JSON.parse(stdout).status]).toEqual([0, 'success'])
    expect(stderr).toMatch(/^warning: .* could not be written in time.*\n$/)
    expect(performance.now() - startedAt).toBeLessThan(30_000)
    expect((await call(0.01)).stderr).toBe('')
    expect(recordedCalls(join(home, '.local/state')).length).toBeGreaterThanOrEqual(2)
  },
)
