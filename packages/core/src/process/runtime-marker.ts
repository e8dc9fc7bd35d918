import { processIdentity } from './process-identity.ts'

/** The time makes it unique per thread, without loading node:crypto. */
export const runtimeId: string = `${processIdentity}-${process.hrtime.bigint()}`

const variable = 'CURFEW_CALL'
let count = 0

export interface CommandMarker {
  readonly id: string
  /** In the environment of the command. With a terminator: otherwise, command 1 would also match command 11. */
  readonly text: string
  readonly env: Readonly<Record<string, string>>
}

/** Identifies a command. Inside a command of another runtime, it carries both markers, so that the outer one finds it, too. */
export function markCommand(): CommandMarker {
  const id = `${runtimeId}-${++count}`
  const text = `${id};`
  return { id, text, env: { [variable]: (process.env[variable] ?? '') + text } }
}

/** Matches the environment of commands that a runtime inside a command of ours started. Also used by the watchdog. */
export const nestedMarker: string = `${runtimeId}-[0-9]*;[0-9]`
