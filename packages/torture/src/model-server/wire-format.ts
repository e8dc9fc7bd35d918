/** How a test server speaks one provider's protocol. */
export interface WireFormat {
  /** What a provider's package gets as its base URL, after the origin. */
  readonly basePath: string
  checkKey(request: ReceivedRequest): Problem | null
  /** The error that the real API would respond with, or `null`. */
  validate(request: ReceivedRequest): Problem | null
  error(kind: ErrorKind): ErrorResponse
  createWriter(): StreamWriter
}

export interface ReceivedRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The parsed JSON. */
  readonly body: Readonly<Record<string, unknown>>
}

export interface Problem {
  /** @default 400 */
  readonly status?: number
  readonly message: string
}

export interface ErrorResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

/** Errors that a server can be told to respond with. */
export type ErrorKind =
  | 'rate-limit'
  | 'quota'
  | 'server-error'
  | 'overloaded'
  | 'auth'
  | 'not-found'
  | 'context-overflow'
  /** With a message. */
  | { readonly status: number; readonly message: string }

export interface WrittenCall {
  readonly id?: string
  readonly name: string
  /** A string is sent as it is, where the protocol has JSON in a string. */
  readonly input: unknown
  /** Google's thought signature. */
  readonly signature?: string
  /** The group that a tool of OpenAI's Responses API belongs to. */
  readonly namespace?: string
}

export type Finish = 'stop' | 'calls' | 'length' | 'filter' | 'malformed-call'

export interface WrittenUsage {
  readonly input: number
  readonly output: number
  readonly cached?: number
  readonly reasoning?: number
}

/** Each method returns what is sent. */
export interface StreamWriter {
  start(): string
  text(text: string): string
  reasoning(text: string, signature?: string): string
  /** Reasoning that only the provider can read. */
  redacted(data: string): string
  call(call: WrittenCall): string
  ping(): string
  error(kind: ErrorKind): string
  finish(finish: Finish, usage: WrittenUsage): string
}

/** One server-sent event. */
export function event(data: unknown, name?: string): string {
  const json = typeof data === 'string' ? data : JSON.stringify(data)
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${json}\n\n`
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The path of the first string with half of a surrogate pair, which JSON parsers reject. */
export function findLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed()
  if (Array.isArray(value)) return value.some(findLoneSurrogate)
  return isRecord(value) && Object.entries(value).some((entry) => entry.some(findLoneSurrogate))
}

export function isBase64(data: unknown): boolean {
  return typeof data === 'string' && data !== '' && Buffer.from(data, 'base64').toString('base64') === data
}

/** Runs checks that throw the first problem. */
export function firstProblem(
  check: (reject: (message: string, status?: number) => never) => void,
): Problem | null {
  try {
    check((message, status = 400) => {
      throw new Rejected({ status, message })
    })
    return null
  } catch (error) {
    if (error instanceof Rejected) return error.problem
    throw error
  }
}

class Rejected extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(problem.message)
    this.problem = problem
  }
}
