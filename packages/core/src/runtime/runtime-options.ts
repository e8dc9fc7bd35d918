import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/clock.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import { adapterTimeouts } from '../deadline/adapter-timeouts.ts'
import type { Duration } from '../duration/parse-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { CurfewError } from '../errors/curfew-error.ts'
import { defaultMaxContentLength } from '../output/head-tail.ts'
import type { RuleLists, Verdict } from '../policy/approval-rules.ts'
import { defaultApprovalTimeoutMs } from '../policy/ask-person.ts'
import type { LoopOptions } from '../policy/loop-detector.ts'
import type { QuestionHandler } from '../policy/question.ts'
import type { LimitOptions } from '../policy/turns.ts'
import { Redactor } from '../secrets/redactor.ts'
import { environmentVault, type Vault } from '../secrets/vault.ts'
import type { View } from '../tool/tool-views.ts'
import type { Log } from './log.ts'
import { logToStderr, safeLog, withoutSecrets } from './log.ts'

export interface RuntimeOptions {
  /**
   * The deadline of calls for which nothing else is written down.
   * @default 180_000
   */
  readonly toolCallTimeout?: Duration | undefined
  /** No call may take longer, whatever the call, the tool or the adapter say. */
  readonly maxToolCallTimeout?: Duration | undefined
  /** Deadlines by adapter, such as `{ script: '10m' }`. */
  readonly timeouts?: Readonly<Partial<Record<Adapter, Duration>>> | undefined
  /**
   * How long a call may wait for a free slot.
   * @default the call's own timeout
   */
  readonly queueTimeout?: Duration | undefined
  /**
   * How many calls run at once.
   * @default 8
   */
  readonly concurrency?: number | undefined
  readonly limits?: Readonly<Partial<LimitOptions>> | undefined
  /** Against calls that come round and round; `false` switches it off. */
  readonly loops?: Readonly<Partial<LoopOptions>> | false | undefined
  readonly breaker?: BreakerOptions | undefined
  /**
   * Whether calls of tools that are not read-only may run: a verdict for all, or rules and a default.
   * @default 'ask'
   */
  readonly approval?: Verdict | ApprovalOptions | undefined
  /** Who is asked. With nobody to ask, the answer is no. */
  readonly ask?: QuestionHandler | undefined
  /**
   * How long a question stays open.
   * @default '10m'
   */
  readonly approvalTimeout?: Duration | undefined
  /**
   * How the tools are shown to the model; with `'stub'`, the first call of a tool loads it.
   * @default 'brief'
   */
  readonly view?: View | undefined
  /**
   * How many characters of a result the model is given; the rest goes to a file.
   * @default 65_536
   */
  readonly maxContentLength?: number | undefined
  /**
   * Where long results go. Files in this directory stay when the runtime is closed; the oldest are removed beyond 256 MiB,
   * 1,000 files or 7 days.
   * @default a temporary directory with the same bounds, removed when the runtime is closed
   */
  readonly spillDirectory?: string | undefined
  /**
   * How long a call may take to clean up after its signal was aborted.
   * @default 250
   */
  readonly grace?: Duration | undefined
  /**
   * Every running call logs a line this often.
   * @default '30s'
   */
  readonly heartbeat?: Duration | undefined
  /**
   * Where log lines go.
   * @default standard error
   */
  readonly log?: Log | undefined
  /**
   * Where secrets are read and stored.
   * @default the environment, in which nothing can be stored
   */
  readonly vault?: Vault | undefined
  /** Tools that could not be loaded, by name, with the reason: whoever calls one gets it. May be added to later. */
  readonly missingTools?: ReadonlyMap<string, string> | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface ApprovalOptions {
  /**
   * What happens without a rule to a call that is not read-only.
   * @default 'ask'
   */
  readonly default?: Verdict | undefined
  /** deny > ask > allow. */
  readonly rules?: RuleLists | undefined
  /** Stores a rule that was allowed for good. Without it, the rule holds as long as the runtime. */
  readonly remember?: ((rule: string) => void | Promise<void>) | undefined
}

export interface BreakerOptions {
  /**
   * The window breaker lets so many calls through in each window.
   * @default 10_000
   */
  readonly maxCallsPerWindow?: number | undefined
  /**
   * The length of a window.
   * @default '60s'
   */
  readonly resetTime?: Duration | undefined
  /**
   * The failure breaker opens after so many failures of a tool in a row.
   * @default 5
   */
  readonly failures?: number | undefined
  /**
   * How long it stays open before a probe.
   * @default '30s'
   */
  readonly cooldown?: Duration | undefined
}

export interface RuntimeSettings {
  readonly toolCallTimeout: number | undefined
  readonly maxToolCallTimeout: number | undefined
  readonly timeouts: Readonly<Partial<Record<Adapter, number>>>
  readonly queueTimeout: number | undefined
  readonly concurrency: number
  readonly limits: LimitOptions
  readonly loops: LoopOptions | null
  readonly breaker: { maxCallsPerWindow: number; resetTime: number; failures: number; cooldown: number }
  readonly approval: { default: Verdict; rules: RuleLists; remember: (rule: string) => void | Promise<void> }
  readonly ask: QuestionHandler | undefined
  readonly approvalTimeout: number
  readonly view: View
  readonly maxContentLength: number
  readonly spillDirectory: string | undefined
  readonly grace: number
  readonly heartbeat: number
  readonly log: Log
  readonly vault: Vault
  readonly missingTools: ReadonlyMap<string, string>
  /** Knows every secret that was read or stored; whatever leaves the runtime goes through it. */
  readonly redactor: Redactor
  readonly clock: Clock
}

/** Defaults and checks, in one place. Throws an error that names the option. */
export function resolveOptions(options: RuntimeOptions): RuntimeSettings {
  checkKeys(options, knownOptions, '')
  const duration = (value: Duration | undefined, field: string): number | undefined =>
    value === undefined ? undefined : parseDuration(value, field)
  const { limits = {}, breaker = {}, loops = {} } = options
  const redactor = new Redactor()
  checkKeys(limits, ['callsPerTurn', 'depth', 'continuations'], 'limits.')
  checkKeys(breaker, ['maxCallsPerWindow', 'resetTime', 'failures', 'cooldown'], 'breaker.')
  return {
    toolCallTimeout: duration(options.toolCallTimeout, 'toolCallTimeout'),
    maxToolCallTimeout: duration(options.maxToolCallTimeout, 'maxToolCallTimeout'),
    timeouts: resolveTimeouts(options.timeouts ?? {}),
    queueTimeout: duration(options.queueTimeout, 'queueTimeout'),
    concurrency: count(options.concurrency, 8, 'concurrency'),
    limits: {
      callsPerTurn: count(limits.callsPerTurn, 1_000, 'limits.callsPerTurn'),
      depth: count(limits.depth, 8, 'limits.depth'),
      continuations: count(limits.continuations, 100, 'limits.continuations'),
    },
    loops: loops === false ? null : resolveLoops(loops),
    breaker: {
      maxCallsPerWindow: count(breaker.maxCallsPerWindow, 10_000, 'breaker.maxCallsPerWindow'),
      resetTime: duration(breaker.resetTime, 'breaker.resetTime') ?? 60_000,
      failures: count(breaker.failures, 5, 'breaker.failures'),
      cooldown: duration(breaker.cooldown, 'breaker.cooldown') ?? 30_000,
    },
    approval: resolveApproval(options.approval ?? 'ask'),
    ask: callable(options.ask, 'ask'),
    approvalTimeout: duration(options.approvalTimeout, 'approvalTimeout') ?? defaultApprovalTimeoutMs,
    view: oneOf(options.view ?? 'brief', ['stub', 'brief', 'full'], 'view'),
    maxContentLength: count(options.maxContentLength, defaultMaxContentLength, 'maxContentLength'),
    spillDirectory: text(options.spillDirectory, 'spillDirectory'),
    grace: duration(options.grace, 'grace') ?? 250,
    heartbeat: duration(options.heartbeat, 'heartbeat') ?? 30_000,
    log: safeLog(withoutSecrets(callable(options.log, 'log') ?? logToStderr, redactor)),
    vault: options.vault ?? environmentVault(),
    missingTools: mapOf(options.missingTools, 'missingTools'),
    redactor,
    clock: options.clock ?? systemClock,
  }
}

const knownOptions = [
  'toolCallTimeout',
  'maxToolCallTimeout',
  'timeouts',
  'queueTimeout',
  'concurrency',
  'limits',
  'loops',
  'breaker',
  'approval',
  'ask',
  'approvalTimeout',
  'view',
  'maxContentLength',
  'spillDirectory',
  'grace',
  'heartbeat',
  'log',
  'vault',
  'missingTools',
  'clock',
] satisfies (keyof RuntimeOptions)[]

function resolveTimeouts(
  timeouts: Readonly<Partial<Record<string, Duration>>>,
): Partial<Record<Adapter, number>> {
  checkKeys(timeouts, Object.keys(adapterTimeouts), 'timeouts.')
  return Object.fromEntries(
    Object.entries(timeouts)
      .filter(([, value]) => value !== undefined)
      .map(([adapter, value]) => [adapter, parseDuration(value, `timeouts.${adapter}`)]),
  )
}

function resolveLoops(loops: Readonly<Partial<LoopOptions>>): LoopOptions {
  checkKeys(loops, ['nudgeAfter', 'stopAfter'], 'loops.')
  return {
    nudgeAfter: count(loops.nudgeAfter, 3, 'loops.nudgeAfter'),
    stopAfter:
      loops.stopAfter === Number.POSITIVE_INFINITY
        ? loops.stopAfter
        : count(loops.stopAfter, 5, 'loops.stopAfter'),
  }
}

function resolveApproval(approval: Verdict | ApprovalOptions): RuntimeSettings['approval'] {
  const options: ApprovalOptions =
    typeof approval === 'object' && approval !== null ? approval : { default: approval }
  checkKeys(options, ['default', 'rules', 'remember'], 'approval.')
  const { rules = {} } = options
  checkKeys(rules, ['allow', 'ask', 'deny'], 'approval.rules.')
  for (const [verdict, list] of Object.entries(rules)) {
    if (list !== undefined && !Array.isArray(list))
      throw invalid(`approval.rules.${verdict}`, 'must be an array of rules')
  }
  return {
    default: oneOf(options.default ?? 'ask', ['allow', 'ask', 'deny'], 'approval'),
    rules,
    remember: callable(options.remember, 'approval.remember') ?? (() => {}),
  }
}

function checkKeys(value: unknown, known: readonly string[], prefix: string): void {
  const where = prefix === '' ? 'options' : prefix.slice(0, -1)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(where, 'must be an object')
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) throw invalid(prefix + key, `is not an option; there are ${known.join(', ')}`)
  }
}

function count(value: number | undefined, fallback: number, field: string): number {
  if (value === undefined) return fallback
  if (value === Number.POSITIVE_INFINITY && field.startsWith('limits.')) return value
  if (!Number.isSafeInteger(value) || value < 1)
    throw invalid(field, `is ${String(value)}; it must be a whole number from 1`)
  return value
}

function oneOf<T extends string>(value: T, allowed: readonly T[], field: string): T {
  if (!allowed.includes(value))
    throw invalid(field, `is ${JSON.stringify(value)}; write one of ${allowed.join(', ')}`)
  return value
}

function text(value: string | undefined, field: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw invalid(field, 'must be a text')
  return value
}

function mapOf<V>(value: ReadonlyMap<string, V> | undefined, field: string): ReadonlyMap<string, V> {
  if (value !== undefined && !(value instanceof Map)) throw invalid(field, 'must be a Map')
  return value ?? new Map()
}

function callable<F>(value: F, field: string): F {
  if (value !== undefined && typeof value !== 'function') throw invalid(field, 'must be a function')
  return value
}

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field} ${problem}`, { field })
}
