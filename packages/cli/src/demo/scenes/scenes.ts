import type { Scene } from '../scene.ts'
import { blockedThread } from './blocked-thread.ts'
import { breaker } from './breaker.ts'
import { cancelled } from './cancelled.ts'
import { flood } from './flood.ts'
import { ignoredSignal } from './ignored-signal.ts'
import { ignoredSigterm } from './ignored-sigterm.ts'
import { leftDaemon } from './left-daemon.ts'
import { neverReturns } from './never-returns.ts'
import { parallelCalls } from './parallel-calls.ts'
import { silence } from './silence.ts'
import { unattendedApproval } from './unattended-approval.ts'

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
