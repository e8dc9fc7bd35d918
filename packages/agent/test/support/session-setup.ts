import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createSession, type NewSessionOptions, type Session } from '../../src/sessions/session-file.ts'
import { projectFolder, sessionPath } from '../../src/sessions/session-folder.ts'
import { header, model, toLines } from './session-data.ts'

/** The state folder of the current test. */
export let state: string
/** What sessions have reported in the current test. */
export let problems: string[]
let opened: Session[] = []

/** Call it in every test file: unit tests share modules, so hooks of this module would apply to the first file only. */
export function useStateFolder(): void {
  beforeEach(() => {
    state = mkdtempSync(join(realpathSync(tmpdir()), 'state-'))
    problems = []
  })

  afterEach(async () => {
    await Promise.all(opened.map((session) => session.close()))
    opened = []
    rmSync(state, { recursive: true, force: true })
  })
}

export const options = (): NewSessionOptions => ({
  folder: state,
  project: '/project',
  model,
  redact: (value) => value,
  onProblem: (problem) => problems.push(problem),
})

export async function newSession(changes: Partial<NewSessionOptions> = {}): Promise<Session> {
  return closeLater(await createSession({ ...options(), ...changes }))
}

export function closeLater(session: Session): Session {
  opened.push(session)
  return session
}

/** Writes a session file as an earlier process would have. */
export function writeSession(id: string, records: readonly unknown[], end = ''): string {
  const path = sessionPath(projectFolder(state, '/project'), id)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, toLines({ ...header, id }, ...records) + end, { mode: 0o600 })
  return path
}
