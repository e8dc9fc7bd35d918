import { appendFileSync } from 'node:fs'

/** Appends an event to the case's file. It is synchronous, so that it is complete even if the process is killed right after it. */
export function recordEvent(name: string, detail: unknown = null): void {
  const file = process.env.TORTURE_EVENTS
  if (file === undefined) return
  appendFileSync(file, `${JSON.stringify({ ms: monotonicMs(), pid: process.pid, name, detail })}\n`)
}

/** The same clock in every process of the machine; nothing can set it. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}
