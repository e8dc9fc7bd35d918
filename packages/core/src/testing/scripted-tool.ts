import type { Progress } from '../call/progress.ts'
import type { Clock } from '../clock/clock.ts'
import { withTimer } from '../clock/with-timer.ts'
import { abortable } from '../collections/abortable.ts'
import type { ParameterSchema } from '../schema/compile-schema.ts'
import { defineTool } from '../tool/define-tool.ts'
import type { PreviewFunction, Tool, ToolDefinition } from '../tool/tool.ts'
import type { ToolContext } from '../tool/tool-context.ts'

/** One step of a scripted tool. */
export type Step =
  | { readonly wait: number }
  | { readonly output: string }
  | { readonly progress: Progress }
  | { readonly ask: string }
  | { readonly run: (context: ToolContext) => unknown }
  | { readonly return: unknown }
  | { readonly throw: unknown }
  /** Never settles. */
  | { readonly hang: true }

export interface ScriptedToolOptions
  extends Partial<Omit<ToolDefinition<ParameterSchema>, 'execute' | 'isolation' | 'resources' | 'preview'>> {
  readonly clock: Clock
  /** The same steps for every call, or steps that depend on its parameters. */
  readonly script: readonly Step[] | ((params: Record<string, unknown>) => readonly Step[])
  readonly resources?: (params: Record<string, unknown>) => readonly string[] | undefined
  readonly preview?: PreviewFunction<Record<string, unknown>>
  /** Continue when the signal is aborted. */
  readonly ignoresSignal?: boolean
}

/** Creates a tool that runs a script on the test's clock. Returns `undefined` without a `return` or `throw` step. */
export function scriptedTool({
  clock,
  script,
  ignoresSignal = false,
  ...definition
}: ScriptedToolOptions): Tool {
  return defineTool({
    name: 'scripted',
    description: 'Run a script.',
    parameters: { type: 'object' },
    ...definition,
    async execute(params: unknown, context) {
      const steps = typeof script === 'function' ? script(params as Record<string, unknown>) : script
      for (const step of steps) {
        if ('wait' in step) await wait(clock, step.wait, ignoresSignal ? null : context.signal)
        else if ('output' in step) context.output(step.output)
        else if ('progress' in step) context.progress(step.progress)
        else if ('ask' in step) await context.ask({ message: step.ask })
        else if ('run' in step) await step.run(context)
        else if ('return' in step) return step.return
        else if ('throw' in step) throw step.throw
        else await hang(ignoresSignal ? null : context.signal)
      }
      return undefined
    },
  } as ToolDefinition<ParameterSchema>) as Tool
}

function wait(clock: Clock, ms: number, signal: AbortSignal | null): Promise<void> {
  return withTimer(clock, ms, (elapsed) => (signal === null ? elapsed : abortable(elapsed, signal)))
}

function hang(signal: AbortSignal | null): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
