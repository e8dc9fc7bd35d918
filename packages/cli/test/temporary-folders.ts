import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'

/** Creates a home and a project folder for each test, and removes them after it. */
export function temporaryFolders(use: (folders: { home: string; project: string }) => void): void {
  const made: string[] = []
  const make = (name: string): string => {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), `curfew-${name}-`))
    made.push(folder)
    return folder
  }
  beforeEach(() => use({ home: make('home'), project: make('project') }))
  afterEach(() => {
    for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
  })
}
