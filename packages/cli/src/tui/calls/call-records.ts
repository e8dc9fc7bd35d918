import type { CallStatus, Runtime, Transition } from '@curfew/core'

/** What the row of a call does not contain. */
export interface CallRecord {
  /** The arguments as JSON with line breaks, shortened if they are long. */
  readonly args: string
  /** When it reached each state. */
  readonly states: readonly { readonly status: CallStatus; readonly at: number }[]
  readonly deadline: Transition['call']['deadline']
  /** The file with the complete result, if it was too long for the model. */
  readonly resultPath: string | null
}

export const maxRecords = 5_000
/** Of the arguments of a call, and of all. */
const maxLength = 16_384
const maxTotalLength = 4_194_304
const maxStringLength = 4_096

/** Remembers the arguments and times of the last calls. Create it before the first call. */
export class CallRecords {
  readonly #records = new Map<number, CallRecord>()
  readonly #unsubscribe: () => void
  #length = 0

  constructor(runtime: Pick<Runtime, 'onTransition'>) {
    this.#unsubscribe = runtime.onTransition((transition) => this.#add(transition))
  }

  get(uid: number): CallRecord | undefined {
    return this.#records.get(uid)
  }

  close(): void {
    this.#unsubscribe()
  }

  #add({ uid, to, call }: Transition): void {
    const known = this.#records.get(uid)
    const args = known?.args ?? formatArguments(call.args)
    if (known === undefined) this.#length += args.length
    this.#records.set(uid, {
      args,
      states: [...(known?.states ?? []), { status: to, at: call.wallTime }],
      deadline: call.deadline ?? known?.deadline ?? null,
      resultPath: call.resultPath,
    })
    for (const [oldest, record] of this.#records) {
      if (this.#records.size <= maxRecords && this.#length <= maxTotalLength) break
      this.#records.delete(oldest)
      this.#length -= record.args.length
    }
  }
}

function formatArguments(args: unknown): string {
  const shorten = (_key: string, value: unknown): unknown =>
    typeof value === 'string' && value.length > maxStringLength
      ? `${value.slice(0, maxStringLength)}…`
      : value
  try {
    const text = JSON.stringify(args, shorten, 2) ?? ''
    return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
  } catch {
    return ''
  }
}
