import type { Scene } from '../scene.ts'
import { blockedThread } from './blocked-thread.ts'
import { flood } from './flood.ts'
import { ignoredSigterm, leftDaemon } from './left-processes.ts'
import { parallelCalls } from './parallel-calls.ts'
import { breaker, unattendedApproval } from './rejected-calls.ts'
import { cancelled, ignoredSignal, neverReturns, silence } from './time-limits.ts'

/** In the order in which they run. */
export const scenes: readonly Scene[] = [
  neverReturns,
  ignoredSignal,
  blockedThread,
  parallelCalls,
  breaker,
  cancelled,
  unattendedApproval,
  flood,
  silence,
  leftDaemon,
  ignoredSigterm,
]
