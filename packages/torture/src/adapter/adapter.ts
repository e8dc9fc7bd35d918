/** Features of products. Cases that need a feature which the product lacks are `n/a`. */
export const features = {
  function: 'runs functions that a program defines as tools',
  command: 'runs shell commands for the model',
  server: 'starts MCP servers over stdio and calls their tools',
  api: 'calls HTTP APIs that are described as tools',
  batch: 'takes several calls of one response',
  order: 'decides itself which calls of a response run at the same time',
  cancel: 'can be told to cancel the calls that run',
  approval: 'asks before a call runs',
  conversation: 'talks to a model and decides when to stop',
  nesting: 'lets a tool call other tools',
  resume: 'continues a conversation in a new process',
  list: 'tells which calls ran, in a new process',
} as const

export type Feature = keyof typeof features

/**
 * `recommended`: the limits as the documentation of the product shows them, with the values of the case.
 * `best`: everything that its public interface allows.
 */
export const settings = ['recommended', 'best'] as const
export type Settings = (typeof settings)[number]

/** Connects a product to the suite. It runs in a process of its own, which the suite observes from outside. */
export interface Adapter {
  readonly name: string
  /** The version of the product. */
  version(): string | Promise<string>
  /** `true`, or why the product does not offer it. What is missing here is not offered either. */
  readonly features: Readonly<Partial<Record<Feature, true | string>>>
  /**
   * For products that start a program or a thread in each call before its tool runs: no case has a shorter limit, unless it is about the
   * limit itself.
   */
  minLimitMs?(settings: Settings): number
  /**
   * For products that run shell commands only for a model: the call of their own tool with which the model runs a command. It is used where
   * `Opened` has no `command`.
   */
  commandCall?(command: string, limitMs: number): { readonly name: string; readonly params: unknown }
  /** Prepares the product, for one case. */
  open(setup: Setup): Promise<Opened>
}

export interface Setup {
  readonly settings: Settings
  /** Empty, and only for this case. */
  readonly folder: string
  /** Continues the conversation that an earlier process left in the folder. */
  readonly resume: boolean
  /** How long a call may run. */
  readonly limitMs: number
  readonly tools: readonly ToolSetup[]
  /** Serves the same tools, for products that only take MCP servers. */
  readonly toolServer: ServerSetup
  readonly servers: readonly ServerSetup[]
  readonly apis: readonly ApiSetup[]
  /** A scripted model, for products that talk to one. */
  readonly model: ModelSetup | null
  /** The limit for calls in one turn, if the case is about it. */
  readonly maxCalls: number | null
  /** Reports a process of the product, if that is not this one: where a case kills the product, it is killed, too. */
  started(pid: number): void
  /**
   * Reports the end of a call by its id, for products that also tell it in another way than by its result, such as an event. Each call ends
   * once. Calls that tools make are not reported.
   */
  ended(id: string): void
  /** Prompts the user, who is played by the case. Resolves with whether the call may run. */
  ask(name: string, params: unknown): Promise<boolean>
}

export interface ToolSetup {
  readonly name: string
  readonly description: string
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>
  readonly readOnly: boolean
  /** What its calls read or change: calls that share one, and are not both read-only, conflict. `null` if that is unknown. */
  readonly resources: readonly string[] | null
  readonly needsApproval: boolean
  execute(params: never, context: ToolContext): unknown
  /** The same function, for products that run tools in a thread or process of their own. */
  readonly module: URL
  readonly exportName: string
}

export interface ToolContext {
  /** Aborted when the product wants the call to end. */
  readonly signal: AbortSignal
  /** Output while the call runs; does nothing where the product has none. */
  output(text: string): void
  /** Progress; does nothing where the product has none. */
  progress(current: number): void
  /** Calls another tool; where the product has no nesting, it is not used. */
  call(name: string, params: unknown): Promise<string>
}

/** An MCP server. */
export interface ServerSetup {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
}

/** A `GET` request. */
export interface ApiSetup {
  readonly name: string
  readonly description: string
  readonly url: string
}

export interface ModelSetup {
  readonly format: 'google' | 'anthropic' | 'openai'
  readonly url: string
  readonly key: string
}

/** One call of the model. `params` is JSON, as the model wrote it. */
export interface Call {
  readonly id: string
  /** Of a tool of `tools` or `apis`; `server/tool` for those of `servers`. */
  readonly name: string
  readonly params: string
}

/** What the model would read. */
export interface Result {
  readonly id: string
  readonly text: string
  readonly isError: boolean
}

/** A product that is ready. */
export interface Opened {
  /** Runs the calls of one response of a model. Missing where the product only talks to the model itself. */
  run?(calls: readonly Call[], options: { readonly signal: AbortSignal }): Promise<readonly Result[]>
  /** Sends a prompt; the scripted model requests the calls, and receives the results. */
  prompt?(text: string, options: { readonly signal: AbortSignal }): Promise<string>
  /** Runs a shell command for the model. */
  command?(command: string, options: { readonly signal: AbortSignal }): Promise<Result>
  /** The calls that are recorded, after a crash. */
  list?(): Promise<readonly ListedCall[]>
  close(): Promise<void>
}

export interface ListedCall {
  readonly name: string
  /** `lost`: it had started, and nobody knows how it ended. */
  readonly status: 'success' | 'error' | 'cancelled' | 'lost' | 'running' | 'waiting'
}
