import { createRuntime, defineTool, type RuntimeOptions, type ToolCall } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'

/** A runtime with a tool of each kind: `wipe` has a dangerous default, `read` and `write` take 10 ms, `hang` never ends. */
export function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, log: () => {}, ...options })
  const wiped: unknown[] = []
  runtime.register(
    // Its only parameter has a dangerous default.
    defineTool({
      name: 'wipe',
      description: 'Delete a folder.',
      parameters: { type: 'object', properties: { path: { type: 'string', default: '/' } } },
      execute: ({ path }) => {
        wiped.push(path)
      },
    }),
    scriptedTool({ clock, name: 'read', readOnly: true, concurrent: true, script: [{ wait: 10 }] }),
    scriptedTool({ clock, name: 'write', script: [{ wait: 10 }, { return: 'written' }] }),
    scriptedTool({ clock, name: 'hang', script: [{ hang: true }] }),
  )
  return { clock, runtime, wiped }
}

export const call = (name: string, params: unknown = {}, id = name): ToolCall => ({ id, name, params })
