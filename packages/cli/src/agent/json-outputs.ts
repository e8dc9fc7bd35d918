import { write } from '../write.ts'
import type { CallRecord } from './call-record.ts'
import { outputVersion, type PromptOutput, type RunStart } from './prompt-output.ts'

/** `--output json`: one object at the end. */
export function jsonOutput(): PromptOutput {
  let start: RunStart | null = null
  /** The last record of each call, in the order of the calls. */
  const calls = new Map<number, CallRecord>()
  return {
    start: (started) => {
      start = started
    },
    call: (call) => void calls.set(call.uid, call),
    end({ reason, message, text, usage, durationMs }) {
      const { session = null, model = null } = start ?? {}
      const end = { reason, message, text, calls: [...calls.values()], usage, durationMs }
      write(jsonLine({ version: outputVersion, session, model, ...end }))
    },
  }
}

/** `--output stream-json`: one object per line, as it happens. */
export function streamJsonOutput(drain: () => Promise<void>): PromptOutput {
  const send = (event: object): void | Promise<void> => {
    if (!write(jsonLine(event))) return drain()
  }
  return {
    start: (start) => send({ type: 'init', version: outputVersion, ...start }),
    text: (text) => send({ type: 'text', text }),
    reasoning: (text) => send({ type: 'reasoning', text }),
    // The input is only in the first event of a call.
    call: ({ input, ...call }) =>
      send({ type: 'call', ...call, ...(call.status === 'validating' && { input }) }),
    usage: (usage) => send({ type: 'usage', usage }),
    notice: (notice) => send({ type: 'notice', ...notice }),
    waiting: (waiting) => void send({ type: 'waiting', ...waiting }),
    end: (end) => send({ type: 'end', ...end }),
  }
}

/** Characters that JSON allows, but that control a terminal, or end a line for some programs. */
const unsafe = /[\x7f-\x9f\u2028\u2029\p{Bidi_Control}]/gu

/** The same data, whatever a model or a tool wrote. */
function jsonLine(value: object): string {
  const toEscape = (character: string): string =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(value).replace(unsafe, toEscape)}\n`
}
