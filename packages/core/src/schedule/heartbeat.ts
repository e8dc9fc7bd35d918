/** Sent every 30 seconds (`heartbeat`) while a call runs. */
export interface Heartbeat {
  readonly uid: number
  readonly id: string
  readonly name: string
  readonly elapsedMs: number
  readonly timeoutMs: number
  /** The call's `meta`. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** The heartbeat's log line: `running name=deploy elapsed=30s/180s`. */
export function formatHeartbeat({ name, elapsedMs, timeoutMs }: Heartbeat): string {
  const seconds = (ms: number): number => Math.round(ms / 1_000)
  return `running name=${name} elapsed=${seconds(elapsedMs)}s/${seconds(timeoutMs)}s`
}
