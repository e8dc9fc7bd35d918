import { createRuntime, type RuntimeOptions } from '@curfew/core'
import { createFakeClock, type ScriptedToolOptions, scriptedTool } from '@curfew/core/testing'

/** A runtime with tools that record when they start and end. */
export function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {}, ...options })
  const events: string[] = []
  let running = 0
  let maxRunning = 0
  const tool = (name: string, options: Partial<ScriptedToolOptions> & { duration?: number } = {}): void => {
    const { duration = 100, ...more } = options
    runtime.register(
      scriptedTool({
        clock,
        name,
        script: ({ label }) => [
          {
            run: () => {
              events.push(`+${label ?? name}`)
              maxRunning = Math.max(maxRunning, ++running)
            },
          },
          { wait: duration },
          {
            run: () => {
              events.push(`-${label ?? name}`)
              running--
            },
          },
          { return: label ?? name },
        ],
        ...more,
      }),
    )
  }
  const run = (...calls: (string | [string, Record<string, unknown>])[]) =>
    clock.runUntil(
      runtime.execute(
        calls.map((call, index) =>
          typeof call === 'string'
            ? { id: `c${index}`, name: call }
            : { id: `c${index}`, name: call[0], params: call[1] },
        ),
      ),
    )
  return { clock, runtime, events, tool, run, maxRunning: () => maxRunning }
}

/** For `resources`. */
export const file = (params: Record<string, unknown>): string[] => [`file:${params.path}`]
