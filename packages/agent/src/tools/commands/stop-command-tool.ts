import type { CallRow, Tool } from '@curfew/core'
import { abortable, defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import { type BackgroundCommands, type CommandRuntime, runCommandName } from './background-commands.ts'

const parameters = objectSchema(['task'], {
  task: described({ type: 'integer', minimum: 1 }, `The number of the task that ${runCommandName} returned.`),
})

export interface StoppedCommand {
  readonly task: number
  /** False if it had already ended. */
  readonly stopped: boolean
  readonly state: CallRow['status']
}

export function stopCommandTool(
  runtime: CommandRuntime,
  commands: BackgroundCommands,
): Tool<never, StoppedCommand> {
  return defineToolFrom(
    {
      name: 'stop_command',
      title: 'Stop a command',
      description: 'Stop a command in the background, with everything it has started.',
      usage: `Use it when a server or watcher that ${runCommandName} started with background: true is no longer needed, or before it is started again. Not for other processes: it stops only what this conversation has started. Returns whether the command was running; its output can still be read with 'read_output'.`,
      parameters,
      destructive: false,
      idempotent: true,
      openWorld: false,
      resources: ({ task }) => [`task:${task}`],
      async execute({ task }, context) {
        const { status } = commands.find(task, context.uid)
        if (status !== 'executing') return { task, stopped: false, state: status }
        const ended = untilEnded(runtime, task, context.signal)
        runtime.cancel({ uid: task }, 'stop_command')
        return { task, stopped: true, state: await ended }
      },
    },
    // Starting the command was what needed approval.
    { adapter: 'builtin', promptsItself: true, textOf: (value) => stoppedText(value as StoppedCommand) },
  )
}

function untilEnded(runtime: CommandRuntime, task: number, signal: AbortSignal): Promise<CallRow['status']> {
  const { promise, resolve } = Promise.withResolvers<CallRow['status']>()
  const stop = runtime.subscribeCall(task, ({ status }) => {
    if (status !== 'executing') resolve(status)
  })
  return abortable(promise, signal).finally(stop)
}

function stoppedText({ task, stopped }: StoppedCommand): string {
  return stopped
    ? `Task ${task} was stopped, with everything it had started.`
    : `Task ${task} had already ended; read_output shows how.`
}
