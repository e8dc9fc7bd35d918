import { availableParallelism, cpus, loadavg } from 'node:os'

export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly node: string
  /** Average of the last minute. */
  readonly load: number
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    load: loadavg()[0] ?? Number.NaN,
  }
}
