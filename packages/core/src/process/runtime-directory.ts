import { mkdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runtimeMarker } from './runtime-marker.ts'

/** Where this runtime keeps what commands hold open. The watchdog is told of it before it is made. */
export const runtimeDirectory: string = join(realTmpdir(), `curfew-${runtimeMarker.value}`)

let made = false

/** Makes it, once, for nobody but us. Throws where that cannot be done. */
export function ensureRuntimeDirectory(): string {
  if (!made) {
    mkdirSync(runtimeDirectory, { mode: 0o700 })
    made = true
    process.once('exit', () => rmSync(runtimeDirectory, { recursive: true, force: true }))
  }
  return runtimeDirectory
}

/** As /proc shows it. */
function realTmpdir(): string {
  try {
    return realpathSync(tmpdir())
  } catch {
    return tmpdir()
  }
}
