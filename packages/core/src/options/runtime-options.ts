import type { OuterCall } from '../call/outer-call.ts'
import type { QuestionHandler } from '../call/question.ts'
import type { RuleLists, Verdict } from '../call/verdict.ts'
import type { Clock } from '../clock/clock.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import type { Duration } from '../duration/parse-duration.ts'
import type { LoopOptions } from '../policy/loop-detector.ts'
import type { Vault } from '../secrets/vault.ts'
import type { LimitOptions } from '../tool/conversation.ts'
import type { View } from '../tool/tool-views.ts'
import type { Log } from './log.ts'
import type { ToolSettings } from './tool-settings.ts'

export interface RuntimeOptions {
  /**
   * The timeout of calls for which no more specific setting applies.
   * @default 180_000
   */
  readonly toolCallTimeout?: Duration | undefined
  /** Upper limit for the timeout of every call. */
  readonly maxToolCallTimeout?: Duration | undefined
  /** Timeouts by adapter, such as `{ script: '10m' }`. */
  readonly timeouts?: Readonly<Partial<Record<Adapter, Duration>>> | undefined
  /**
   * Settings for tools that someone else wrote, by name or pattern: `{ 'mcp__github__*': { timeout: '30s', readOnly: true } }`. For each
   * setting, the longest matching pattern wins; of equally long ones, the last.
   */
  readonly tools?: Readonly<Record<string, ToolSettings | undefined>> | undefined
  /**
   * How long a call may wait for a free slot before it ends with `QUEUE_TIMEOUT`.
   * @default as long as it takes
   */
  readonly queueTimeout?: Duration | undefined
  /**
   * How many calls run at the same time.
   * @default 8
   */
  readonly concurrency?: number | undefined
  readonly limits?: Readonly<Partial<LimitOptions>> | undefined
  /** Loop detection; `false` disables it. */
  readonly loops?: Readonly<Partial<LoopOptions>> | false | undefined
  readonly breaker?: BreakerOptions | undefined
  /**
   * Whether calls to tools that are not read-only may run: one verdict for all, or rules and a default.
   * @default 'ask'
   */
  readonly approval?: Verdict | ApprovalOptions | undefined
  /** Answers questions. Without a handler, calls that need approval are denied. */
  readonly ask?: QuestionHandler | undefined
  /**
   * How long a question stays open.
   * @default '10m'
   */
  readonly approvalTimeout?: Duration | undefined
  /**
   * How tools are presented to the model; with `'stub'`, the first call to a tool loads it.
   * @default 'brief'
   */
  readonly view?: View | undefined
  /**
   * Maximum length of a result's `content`, in characters; longer results are written to a file.
   * @default 65_536
   */
  readonly maxContentLength?: number | undefined
  /**
   * The directory for long results and live output. Results remain when the runtime is closed; the oldest files are removed
   * beyond 256 MiB, 1,000 files or 7 days.
   * @default a temporary directory with the same limits, removed when the runtime is closed
   */
  readonly spillDirectory?: string | undefined
  /**
   * The number of finished calls that stay in the snapshot, for user interfaces.
   * @default 1_000
   */
  readonly keepFinished?: number | undefined
  /**
   * How long a tool may take to clean up after its signal was aborted.
   * @default 250
   */
  readonly grace?: Duration | undefined
  /**
   * The interval at which every running call logs a heartbeat.
   * @default '30s'
   */
  readonly heartbeat?: Duration | undefined
  /**
   * Receives log entries.
   * @default writes to standard error
   */
  readonly log?: Log | undefined
  /**
   * Reads and stores secrets.
   * @default reads environment variables, stores nothing
   */
  readonly vault?: Vault | undefined
  /** Tools that could not be loaded: the reason by name. A call to one of them fails with its reason. Entries may be added later. */
  readonly missingTools?: ReadonlyMap<string, string> | undefined
  /**
   * The call of another process that everything in this runtime belongs to: all calls are nested in it, and end with it.
   * @default none
   */
  readonly outer?: OuterCall | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface ApprovalOptions {
  /**
   * The verdict for calls that are not read-only and match no rule.
   * @default 'ask'
   */
  readonly default?: Verdict | undefined
  /** Precedence: deny > remembered answers > ask > allow. */
  readonly rules?: RuleLists | undefined
  /** Stores a rule that a person allowed with `always`. By default, the rule applies until the runtime is closed. */
  readonly remember?: ((rule: string) => void | Promise<void>) | undefined
  /** Removes a stored rule; called when `runtime.rules.remove` removes a remembered answer. */
  readonly forget?: ((rule: string) => void | Promise<void>) | undefined
  /** Whether a remembered answer still applies: it may have been removed elsewhere. Called synchronously each time one is used. */
  readonly isRemembered?: ((rule: string) => boolean) | undefined
}

export interface BreakerOptions {
  /**
   * The maximum number of calls in each window.
   * @default 10_000
   */
  readonly maxCallsPerWindow?: number | undefined
  /**
   * The length of a window.
   * @default '60s'
   */
  readonly resetTime?: Duration | undefined
  /**
   * The number of consecutive failures of a tool after which its breaker opens.
   * @default 5
   */
  readonly failures?: number | undefined
  /**
   * How long a breaker stays open before one call is let through as a probe.
   * @default '30s'
   */
  readonly cooldown?: Duration | undefined
}
