import { checkOuterCall } from '../call/outer-call.ts'
import type { QuestionHandler } from '../call/question.ts'
import type { TraceContext } from '../call/trace-context.ts'
import type { Verdict } from '../call/verdict.ts'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/clock.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import { adapterTimeouts } from '../deadline/adapter-timeouts.ts'
import type { Duration } from '../duration/parse-duration.ts'
import { parseDuration } from '../duration/parse-duration.ts'
import { unexpectedOption } from '../errors/field-error.ts'
import { defaultMaxContentLength } from '../output/head-tail.ts'
import type { RuleSources } from '../policy/approval-rules.ts'
import { defaultApprovalTimeoutMs } from '../policy/ask-person.ts'
import type { BreakerSettings } from '../policy/breakers.ts'
import type { LoopOptions } from '../policy/loop-detector.ts'
import { Redactor } from '../secrets/redactor.ts'
import { environmentVault, type Vault } from '../secrets/vault.ts'
import type { LimitOptions } from '../tool/conversation.ts'
import { type View, views } from '../tool/tool-views.ts'
import { callable, checkKeys, oneOf, string } from './check-option.ts'
import type { Log } from './log.ts'
import { logToStderr, safeLog, withoutSecrets } from './log.ts'
import type { ApprovalOptions, RuntimeOptions } from './runtime-options.ts'
import { type ToolSettingsTable, toolSettings } from './tool-settings.ts'

/** `RuntimeOptions` with their defaults; durations are in milliseconds. */
export interface RuntimeSettings {
  readonly toolCallTimeout: number | undefined
  readonly maxToolCallTimeout: number | undefined
  readonly timeouts: Readonly<Partial<Record<Adapter, number>>>
  readonly tools: ToolSettingsTable
  readonly queueTimeout: number | undefined
  readonly concurrency: number
  readonly limits: LimitOptions
  readonly loops: LoopOptions | null
  readonly breaker: BreakerSettings
  readonly approval: ApprovalSettings
  readonly ask: QuestionHandler | undefined
  readonly approvalTimeout: number
  readonly view: View
  readonly maxContentLength: number
  readonly spillDirectory: string | undefined
  readonly keepFinished: number
  readonly grace: number
  readonly heartbeat: number
  readonly log: Log
  readonly vault: Vault
  readonly missingTools: ReadonlyMap<string, string>
  /** Redacts every secret that was read or stored. */
  readonly redactor: Redactor
  readonly outer: OuterSettings
  readonly clock: Clock
}

interface OuterSettings {
  readonly depth: number
  /** When the outer call ends, by the clock; `null` if there is none, or its end is not known. */
  readonly endsAt: number | null
  readonly traceContext: TraceContext | null
}

export interface ApprovalSettings {
  readonly default: Verdict
  readonly rules: RuleSources
  readonly remember: (rule: string) => void | Promise<void>
  readonly forget: (rule: string) => void | Promise<void>
  readonly isRemembered: (rule: string) => boolean
}

/** Validates options and fills in the defaults. Throws `INVALID_OPTION` with the option as `field`. */
export function resolveOptions(options: RuntimeOptions): RuntimeSettings {
  checkKeys(options, knownOptions, '')
  const duration = (value: Duration | undefined, field: string): number | undefined =>
    value === undefined ? undefined : parseDuration(value, field)
  const { limits = {}, breaker = {}, loops = {} } = options
  const redactor = new Redactor()
  const clock = options.clock ?? systemClock
  const tools = toolSettings(options.tools)
  checkKeys(breaker, ['maxCallsPerWindow', 'resetTime', 'failures', 'cooldown'], 'breaker.')
  return {
    toolCallTimeout: duration(options.toolCallTimeout, 'toolCallTimeout'),
    maxToolCallTimeout: duration(options.maxToolCallTimeout, 'maxToolCallTimeout'),
    timeouts: resolveTimeouts(options.timeouts ?? {}),
    tools,
    queueTimeout: duration(options.queueTimeout, 'queueTimeout'),
    concurrency: count(options.concurrency, 8, 'concurrency'),
    limits: limitDepth(resolveLimits(limits, defaultLimits), options.outer),
    loops: loops === false ? null : resolveLoops(loops),
    breaker: {
      maxCallsPerWindow: count(breaker.maxCallsPerWindow, 10_000, 'breaker.maxCallsPerWindow'),
      resetTime: duration(breaker.resetTime, 'breaker.resetTime') ?? 60_000,
      failures: count(breaker.failures, 5, 'breaker.failures'),
      cooldown: duration(breaker.cooldown, 'breaker.cooldown') ?? 30_000,
    },
    approval: resolveApproval(options.approval ?? 'ask', tools),
    ask: callable(options.ask, 'ask'),
    approvalTimeout: duration(options.approvalTimeout, 'approvalTimeout') ?? defaultApprovalTimeoutMs,
    view: oneOf(options.view ?? 'brief', views, 'view'),
    maxContentLength: count(options.maxContentLength, defaultMaxContentLength, 'maxContentLength'),
    spillDirectory: string(options.spillDirectory, 'spillDirectory'),
    keepFinished: count(options.keepFinished, 1_000, 'keepFinished'),
    grace: duration(options.grace, 'grace') ?? 250,
    heartbeat: duration(options.heartbeat, 'heartbeat') ?? 30_000,
    log: safeLog(withoutSecrets(callable(options.log, 'log') ?? logToStderr, redactor)),
    vault: options.vault ?? environmentVault(),
    missingTools: map(options.missingTools, 'missingTools'),
    redactor,
    outer: resolveOuter(options.outer, clock),
    clock,
  }
}

const knownOptions = [
  'toolCallTimeout',
  'maxToolCallTimeout',
  'timeouts',
  'tools',
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
  'keepFinished',
  'grace',
  'heartbeat',
  'log',
  'vault',
  'missingTools',
  'outer',
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

function resolveOuter(outer: RuntimeOptions['outer'], clock: Clock): OuterSettings {
  if (outer === undefined) return { depth: 0, endsAt: null, traceContext: null }
  const { depth = 0, remainingMs, traceContext } = checkOuterCall(outer, 'outer')
  return { depth, endsAt: remainingMs === undefined ? null : clock.now() + remainingMs, traceContext }
}

export const defaultLimits: LimitOptions = { callsPerTurn: 1_000, depth: 8, continuations: 100 }

export function resolveLimits(limits: Readonly<Partial<LimitOptions>>, defaults: LimitOptions): LimitOptions {
  checkKeys(limits, Object.keys(defaultLimits), 'limits.')
  return {
    callsPerTurn: count(limits.callsPerTurn, defaults.callsPerTurn, 'limits.callsPerTurn'),
    depth: count(limits.depth, defaults.depth, 'limits.depth'),
    continuations: count(limits.continuations, defaults.continuations, 'limits.continuations'),
  }
}

/** The call of another process does not become deeper than that process allows. */
function limitDepth(limits: LimitOptions, outer: RuntimeOptions['outer']): LimitOptions {
  return { ...limits, depth: Math.min(limits.depth, outer?.maxDepth ?? limits.depth) }
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

export function resolveApproval(
  approval: Verdict | ApprovalOptions,
  tools?: ToolSettingsTable,
): ApprovalSettings {
  const options: ApprovalOptions =
    typeof approval === 'object' && approval !== null ? approval : { default: approval }
  checkKeys(options, ['default', 'rules', 'remember', 'forget', 'isRemembered'], 'approval.')
  const { rules = {} } = options
  checkKeys(rules, ['allow', 'ask', 'askIfAllowed', 'deny', 'remembered'], 'approval.rules.')
  for (const [key, list] of Object.entries(rules)) {
    if (list !== undefined && !Array.isArray(list))
      throw unexpectedOption(`approval.rules.${key}`, 'an array of rules', list)
  }
  return {
    default: oneOf(options.default ?? 'ask', ['allow', 'ask', 'deny'], 'approval'),
    rules: { ...rules, ofTool: tools?.approval },
    remember: callable(options.remember, 'approval.remember') ?? (() => {}),
    forget: callable(options.forget, 'approval.forget') ?? (() => {}),
    isRemembered: callable(options.isRemembered, 'approval.isRemembered') ?? (() => true),
  }
}

function count(value: number | undefined, fallback: number, field: string): number {
  if (value === undefined) return fallback
  if (value === Number.POSITIVE_INFINITY && field.startsWith('limits.')) return value
  if (!Number.isSafeInteger(value) || value < 1) throw unexpectedOption(field, 'a positive integer', value)
  return value
}

function map<V>(value: ReadonlyMap<string, V> | undefined, field: string): ReadonlyMap<string, V> {
  if (value !== undefined && !(value instanceof Map)) throw unexpectedOption(field, 'a Map', value)
  return value ?? new Map()
}
