import { formatDuration, type OutputRead, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import { type BackgroundCommands, type CommandRuntime, runCommandName } from './background-commands.ts'

/** In characters. */
const maxLength = 32_000

const parameters = objectSchema(['task'], {
  task: described({ type: 'integer', minimum: 1 }, `The number of the task that ${runCommandName} returned.`),
  from: described(
    { type: 'integer', minimum: -maxLength, default: 0 },
    'Where to start reading: 0, or the "next" of the last result for only what is new. A negative number counts from the end.',
  ),
})

export interface BackgroundOutput {
  readonly task: number
  readonly state: 'running' | 'exited' | 'failed' | 'stopped'
  /** `null` while it is running, and if it did not exit on its own. */
  readonly exit_code: number | null
  readonly signal: string | null
  readonly elapsed_ms: number
  readonly output: string
  /** The position of `output`, where to continue, and how much there is, in characters. */
  readonly from: number
  readonly next: number
  readonly length: number
  /** How much of the end was not kept. */
  readonly dropped: number
  /** Why it did not exit on its own. */
  readonly message: string | null
  /** A file with all of the output, if it is long. */
  readonly path: string | null
}

export function readOutputTool(
  runtime: CommandRuntime,
  commands: BackgroundCommands,
): Tool<never, BackgroundOutput> {
  return defineToolFrom(
    {
      name: 'read_output',
      title: 'Read the output of a command',
      description: 'Read new output of a command in the background, and whether it is still running.',
      usage: `Use it after ${runCommandName} with background: true, to see whether a server has started or a watcher has found something. Not for files: it reads only what commands print. Returns the state of the command, at most ${maxLength} characters of both of its output streams, and "next", where the next call continues.`,
      parameters,
      readOnly: true,
      concurrent: true,
      polling: true,
      openWorld: false,
      resources: () => [],
      async execute({ task, from }, context) {
        const row = commands.find(task, context.uid)
        const start = from < 0 ? Math.max(0, row.outputLength + from) : Math.min(from, row.outputLength)
        const read = shorten((await runtime.readOutput(task, start)) ?? noOutput(start))
        // The command may have ended meanwhile.
        const { status, code, message, elapsedMs } = commands.find(task, context.uid)
        const report = commands.report(task)
        const isRunning = status === 'executing'
        return {
          task,
          state: isRunning
            ? 'running'
            : status === 'cancelled'
              ? 'stopped'
              : code === null
                ? 'exited'
                : 'failed',
          exit_code: report?.exit_code ?? null,
          signal: report?.signal ?? null,
          elapsed_ms: Math.round(elapsedMs),
          output: read.text,
          from: read.offset,
          next: read.next,
          length: read.length,
          dropped: read.dropped,
          message: code === null ? null : message,
          path: read.path ?? null,
        }
      },
    },
    { adapter: 'builtin', textOf: (value) => outputText(value as BackgroundOutput) },
  )
}

function noOutput(from: number): OutputRead {
  return { text: '', offset: from, next: from, length: 0, ended: true, dropped: 0, attempts: [0] }
}

function shorten(read: OutputRead): OutputRead {
  if (read.text.length <= maxLength) return read
  const cut = read.text.charCodeAt(maxLength - 1) >= 0xd800 && read.text.charCodeAt(maxLength - 1) < 0xdc00
  const text = read.text.slice(0, cut ? maxLength - 1 : maxLength)
  return { ...read, text, next: read.offset + text.length }
}

function outputText(output: BackgroundOutput): string {
  const { task, elapsed_ms, next, length, dropped, path, message } = output
  const more = next < length - dropped ? `; ${length - dropped - next} more characters follow` : ''
  const lines = [
    `[task ${task}: ${stateOf(output)} after ${formatDuration(elapsed_ms)}; next: ${next}${more}]`,
    ...(message === null ? [] : [`[${message}]`]),
    ...(dropped === 0 ? [] : [`[the last ${dropped} characters were not kept: there was too much output]`]),
    ...(path === null ? [] : [`[all output is in ${path}]`]),
    output.output === '' ? '(no new output)' : output.output,
  ]
  return lines.join('\n')
}

function stateOf({ state, exit_code, signal }: BackgroundOutput): string {
  if (state !== 'exited') return state
  return signal === null ? `exited with code ${exit_code}` : `killed by ${signal}`
}
