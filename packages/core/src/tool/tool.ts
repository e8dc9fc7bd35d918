import type { ResultPart } from '../call/result-part.ts'
import type { Adapter } from '../deadline/adapter-timeouts.ts'
import type { Duration } from '../duration/parse-duration.ts'
import type { CurfewError } from '../errors/curfew-error.ts'
import type { CompiledSchema, InferParams, ParameterSchema } from '../schema/compile-schema.ts'
import type { WebAbortSignal, WebURL } from '../web-types.ts'
import type { ToolContext } from './tool-context.ts'

/** The argument of `defineTool`. Everything except `name`, `description` and `execute` has a default. */
export type ToolDefinition<S extends ParameterSchema = ParameterSchema, R = unknown> = ToolFields<S> &
  (InProcess<S, R> | InThread)

interface ToolFields<S extends ParameterSchema> {
  /** 1 to 128 of `A-Z a-z 0-9 _ . / -`. Should be descriptive: the stub view shows nothing else. */
  readonly name: string
  /** One verb-led sentence. */
  readonly description: string
  /** The name for people, such as `Write a file`. */
  readonly title?: string | undefined
  /** Plain data for programs, not shown to the model; the gateway lists it as `_meta`. At most 64 KiB of JSON. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  /** When to use it and when not; shown only in the full view. */
  readonly usage?: string | undefined
  /**
   * Any Standard Schema, or JSON Schema.
   * @default no parameters
   */
  readonly parameters?: S | undefined
  /** Overrides `toolCallTimeout` and the adapter's default. */
  readonly timeout?: Duration | undefined
  /**
   * Maximum time without output and progress.
   * @default none
   */
  readonly idleTimeout?: Duration | undefined
  /**
   * Changes nothing; skips the confirm gate.
   * @default false
   */
  readonly readOnly?: boolean | undefined
  /**
   * Has no side effects, and its upstream allows parallel calls: may run in parallel.
   * @default false
   */
  readonly concurrent?: boolean | undefined
  /**
   * Shown in full even in the stub view.
   * @default false
   */
  readonly alwaysLoad?: boolean | undefined
  /**
   * Running it twice has the same effect as running it once.
   * @default readOnly
   */
  readonly idempotent?: boolean | undefined
  /**
   * May destroy data.
   * @default !readOnly
   */
  readonly destructive?: boolean | undefined
  /**
   * Reaches beyond this machine.
   * @default true
   */
  readonly openWorld?: boolean | undefined
  /**
   * Expected to be called repeatedly with the same result; exempt from loop detection.
   * @default false
   */
  readonly polling?: boolean | undefined
  /**
   * Keys for what a call uses, such as file paths. Only calls that share a key wait for each other: `[]` is a call that uses nothing
   * shared, and `undefined` one for which that is unknown.
   * @default unknown
   */
  readonly resources?: ((params: InferParams<S>) => readonly string[] | undefined) | undefined
  /**
   * Maximum number of parallel calls of this tool in one runtime. A call inside another call of the same tool does not count.
   * @default no limit besides `concurrency`
   */
  readonly maxConcurrent?: number | undefined
  /**
   * What a person sees in addition to the arguments when asked for approval, such as a diff. Runs at most 3 s, and changes
   * nothing; if it fails, the question is asked without it. If it returns an error, nobody is asked, and the call fails with it.
   */
  readonly preview?: PreviewFunction<InferParams<S>> | undefined
  /**
   * What applies to a call whatever rules, answers, modes and defaults allow. If it throws, the call fails. Called again when a person is about to
   * be asked; the tool must check `context.restriction` if what it depends on can change in between.
   * @default none
   */
  readonly restrict?: ((params: InferParams<S>) => Restriction | null) | undefined
  /** The names of the secrets that `context.secret` may read. */
  readonly secrets?: readonly string[] | undefined
}

interface InProcess<S extends ParameterSchema, R> {
  /** @default 'none' */
  readonly isolation?: 'none' | undefined
  readonly execute: ToolFunction<InferParams<S>, R>
}

/** Runs in a worker thread, which is terminated at the deadline. */
interface InThread {
  readonly isolation: 'thread'
  readonly execute: ThreadFunction
}

export type ToolFunction<P, R> = (params: P, context: ToolContext) => R | Promise<R>

export type PreviewFunction<P> = (params: P, context: PreviewContext) => Previewed | Promise<Previewed>

type Previewed = string | CurfewError

interface PreviewContext {
  /** The call, as in `ToolContext`: a tool can check that what it showed still holds when the call runs. */
  readonly uid: number
  readonly signal: WebAbortSignal
}

/** A limit on a single call that nothing loosens. */
export interface Restriction {
  /** `ask`: a person has to approve it, each time, unless a person typed the call. `deny`: it never runs. */
  readonly verdict: 'ask' | 'deny'
  /** For the person and the model, such as `git runs .git/hooks/pre-commit`. */
  readonly reason: string
}

/** The words of a simple command. `null` is a word, or several, whose value only the shell knows, such as `$HOME` or `*.ts`. */
export type ShellCommand = readonly (string | null)[]

/** Code that a worker thread can load; a closure cannot be sent to a thread. */
export interface ThreadFunction {
  readonly module: WebURL | string
  /** @default 'default' */
  readonly export?: string | undefined
}

/** What the runtime's option `tools` can change. */
export type ToolSetting =
  | 'timeout'
  | 'idleTimeout'
  | 'readOnly'
  | 'concurrent'
  | 'idempotent'
  | 'resources'
  | 'approval'

export type BehaviourFlag = (typeof behaviourFlags)[number]

export const behaviourFlags = ['readOnly', 'destructive', 'idempotent', 'openWorld'] as const

/** A validated definition, ready to be registered or executed. Created by `defineTool`. */
export interface Tool<P = never, R = unknown> {
  readonly name: string
  readonly title: string | undefined
  readonly description: string
  readonly usage: string | undefined
  readonly meta: Readonly<Record<string, unknown>> | undefined
  readonly schema: CompiledSchema
  /** The declared parameters, in order. */
  readonly parameterNames: readonly string[]
  readonly adapter: Adapter
  /** Tools of one server share an additional breaker, which opens when the server cannot be reached. */
  readonly server: string | undefined
  readonly timeoutMs: number | undefined
  /** Overrides `timeoutMs`, if the limit depends on the call; `undefined` for a call that has none of its own. */
  readonly timeoutFor: ((params: P) => number | undefined) | undefined
  /** The maximum for subagents, regardless of where the timeout is set. */
  readonly maxTimeoutMs: number | undefined
  readonly idleTimeoutMs: number | null
  /** Processes take longer to end than functions. The larger of this and the runtime's `grace` applies. */
  readonly graceMs: number
  readonly readOnly: boolean
  readonly concurrent: boolean
  readonly alwaysLoad: boolean
  readonly idempotent: boolean
  readonly destructive: boolean
  readonly openWorld: boolean
  /** The flags that were set explicitly; the others are cautious defaults. */
  readonly declared: ReadonlySet<BehaviourFlag>
  readonly polling: boolean
  readonly resources: ((params: P) => readonly string[] | undefined) | undefined
  readonly maxConcurrent: number | undefined
  readonly preview: PreviewFunction<P> | undefined
  readonly restrict: ((params: P) => Restriction | null) | undefined
  readonly secrets: readonly string[]
  /** What stored secrets are bound to: `host:<host>`, `tool:<name>` or `tool:<name>@<the project's .curfew>`. */
  readonly secretUse: string
  /** The tool prompts the person itself, so the gate does not. */
  readonly promptsItself: boolean
  /**
   * The tool validates its parameters itself, and gets every object as it is. The schema only decides whether the first call of a stub
   * runs, and explains a call that failed.
   */
  readonly validatesItself: boolean
  /** `ask` and `deny` rules with arguments for these tools also apply to this one. */
  readonly sharesRulesWith: readonly string[]
  /** If the tool runs a shell: the commands in its main argument; `null` if they cannot be told. */
  readonly shellCommands: ((params: P) => readonly ShellCommand[] | null) | undefined
  /** Formats a value for the model, if its JSON is not suitable. */
  readonly textOf: ((value: unknown) => string) | undefined
  readonly problemOf: ((value: unknown) => string | null) | undefined
  /** The parts of a value, if it contains more than text. */
  readonly partsOf: ((value: unknown) => readonly ResultPart[] | undefined) | undefined
  /** Identifies a value without parts for loop detection, if its text does not contain all of it. */
  readonly outcomeOf: ((value: unknown) => string) | undefined
  readonly execute: ToolFunction<P, R> | ThreadFunction
  /** For what the runtime's option `tools` changed: the pattern of the entry. */
  readonly overrides: Readonly<Partial<Record<ToolSetting, string>>> | undefined
}
