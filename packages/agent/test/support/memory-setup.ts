import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWorkspace } from '@curfew/agent/tools'
import { onTestFinished } from 'vitest'

/** A user's folder and a project, with these files, by their path below the temporary folder. */
export function memorySetup(files: Readonly<Record<string, string | Buffer>> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-memory-')))
  onTestFinished(() => rmSync(base, { recursive: true, force: true }))
  const path = (name: string): string => join(base, name)
  for (const folder of ['user', 'project/src/deep']) mkdirSync(path(folder), { recursive: true })
  const write = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), content)
  }
  for (const [name, content] of Object.entries(files)) write(name, content)
  const workspace = createWorkspace({ root: path('project') })
  return {
    path,
    write,
    workspace,
    folders: { userFolder: path('user'), workspace, folder: path('project/src/deep') },
  }
}
