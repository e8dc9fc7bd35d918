import { processIdentity } from './process-identity.ts'

/** The time makes it unique per thread, without loading node:crypto. */
export const runtimeId: string = `${processIdentity}-${process.hrtime.bigint()}`

/** Matches the environment of what a runtime inside a command of ours started. Also used by the watchdog. */
export const nestedMarker: string = `${runtimeId}-[0-9]*;[0-9]`

let count = 0

/** In the environment of one command. With a terminator: otherwise, command 1 would also match command 11. */
export function newMarker(): string {
  return `${runtimeId}-${++count};`
}

/** Inside a command of another runtime, a command carries both markers, so that the outer runtime finds it, too. */
export function withMarker(env: NodeJS.ProcessEnv | undefined, marker: string): NodeJS.ProcessEnv {
  return { ...env, CURFEW_CALL: (process.env.CURFEW_CALL ?? '') + marker }
}
