import { systemClock } from '../clock/clock.ts'
import { withTimer } from '../clock/with-timer.ts'
import { abortable } from '../collections/abortable.ts'
import { described, objectSchema } from '../schema/object-schema.ts'
import { defineToolFrom } from '../tool/define-tool.ts'
import type { Tool } from '../tool/tool.ts'

/** Not configurable. */
const maxSeconds = 300
const graceMs = 500

export interface SleepReport {
  readonly slept_seconds: number
  readonly dry_run: boolean
}

export const sleepTool: Tool<never, SleepReport> = defineToolFrom(
  {
    name: 'sleep',
    description: 'Wait for a number of seconds.',
    usage: `Use it to wait between two checks of something slow. Not for limiting a command: use 'timeout'. Waits at most ${maxSeconds} seconds and returns how long it slept.`,
    parameters: objectSchema(['seconds'], {
      seconds: described(
        { type: 'number', exclusiveMinimum: 0, maximum: maxSeconds },
        `How long, at most ${maxSeconds} seconds.`,
      ),
      dry_run: { type: 'boolean', default: false, description: 'Return immediately.' },
    }),
    readOnly: true,
    concurrent: true,
    polling: true,
    openWorld: false,
    async execute({ seconds, dry_run }, { signal }) {
      if (dry_run) return { slept_seconds: 0, dry_run }
      await withTimer(systemClock, seconds * 1_000, (elapsed) => abortable(elapsed, signal))
      return { slept_seconds: seconds, dry_run }
    },
  },
  { adapter: 'builtin', timeoutFor: ({ seconds }) => seconds * 1_000 + graceMs },
)
