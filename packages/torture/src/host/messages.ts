import type {
  ApiSetup,
  Call,
  ListedCall,
  ModelSetup,
  Result,
  ServerSetup,
  Settings,
} from '../adapter/adapter.ts'

/** A tool, as it is sent to the host, which looks up the rest in the catalogue. */
export interface ToolRequest {
  readonly name: string
  readonly needsApproval?: boolean
  /** Replaces the schema of the catalogue. */
  readonly parameters?: Readonly<Record<string, unknown>>
}

export interface HostSetup {
  readonly settings: Settings
  readonly folder: string
  readonly resume: boolean
  readonly limitMs: number
  readonly tools: readonly ToolRequest[]
  readonly toolServer: ServerSetup
  readonly servers: readonly ServerSetup[]
  readonly apis: readonly ApiSetup[]
  readonly model: ModelSetup | null
  readonly maxCalls: number | null
}

/** What the suite tells the host. */
export type HostRequest =
  | { readonly type: 'open'; readonly setup: HostSetup }
  | { readonly type: 'run'; readonly run: number; readonly calls: readonly Call[] }
  | { readonly type: 'prompt'; readonly run: number; readonly text: string }
  | { readonly type: 'command'; readonly run: number; readonly command: string }
  | { readonly type: 'cancel'; readonly run: number }
  | { readonly type: 'answer'; readonly question: number; readonly allowed: boolean }
  | { readonly type: 'list' }
  | { readonly type: 'close' }

/** What the host reports. */
export type HostReport =
  | {
      readonly type: 'opened'
      readonly product: string
      readonly version: string
      readonly ways: readonly ('run' | 'prompt' | 'command' | 'list')[]
    }
  | { readonly type: 'settled'; readonly run: number; readonly results: readonly SentResult[] }
  | { readonly type: 'rejected'; readonly run: number; readonly message: string }
  | { readonly type: 'started'; readonly pid: number }
  | { readonly type: 'ended'; readonly id: string }
  | {
      readonly type: 'question'
      readonly question: number
      readonly name: string
      /** As JSON; `null` if the product does not tell. */
      readonly params: string | null
    }
  | { readonly type: 'listed'; readonly calls: readonly ListedCall[] }
  | { readonly type: 'closed' }
  | { readonly type: 'failed'; readonly message: string }

/** A result, with at most the beginning and the end of its text. */
export interface SentResult extends Omit<Result, 'text'> {
  readonly text: string
  /** In UTF-16 units, before it was cut. */
  readonly length: number
  /** What is wrong with the shape of the result; `null` if nothing is. */
  readonly problem: string | null
}

const maxSent = 100_000

export function toSent(result: unknown): SentResult {
  const { id, text, isError } = (result ?? {}) as Partial<Result>
  const problem =
    typeof id !== 'string' || typeof isError !== 'boolean'
      ? `the adapter returned no result: ${typeof result}`
      : typeof text !== 'string'
        ? `the model would read a value of the type ${typeof text}`
        : null
  const whole = typeof text === 'string' ? text : ''
  const half = maxSent / 2
  return {
    id: String(id),
    isError: isError === true,
    text: whole.length > maxSent ? `${whole.slice(0, half)}\n[...]\n${whole.slice(-half)}` : whole,
    length: whole.length,
    problem,
  }
}
