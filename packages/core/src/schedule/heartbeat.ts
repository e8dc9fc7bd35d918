import type { CallRow } from '../call/call-row.ts'
/** Emitted every 30 seconds (option `heartbeat`) while a call runs. */
export interface Heartbeat extends Pick<CallRow, 'uid' | 'id' | 'name' | 'meta'> {
  readonly elapsedMs: number
  readonly timeoutMs: number
}

/** The log line of a heartbeat: `running name=deploy elapsed=30s/180s`. */
export function formatHeartbeat({ name, elapsedMs, timeoutMs }: Heartbeat): string {
  const seconds = (ms: number): number => Math.round(ms / 1_000)
  return `running name=${name} elapsed=${seconds(elapsedMs)}s/${seconds(timeoutMs)}s`
}
