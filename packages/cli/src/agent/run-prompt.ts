import { isTerminalInUse } from '../ask/with-terminal.ts'
import { usageError } from '../command-line/usage-error.ts'
import { oneLine } from '../terminal.ts'
import { outputDrained } from '../write.ts'
import { Activity } from './activity.ts'
import { watchInterruptions } from './interruption.ts'
import { jsonOutput, streamJsonOutput } from './json-outputs.ts'
import type { PromptOutput } from './prompt-output.ts'
import { type PromptInput, PromptRun } from './prompt-run.ts'
import { textOutput } from './text-output.ts'
import { WaitingLines } from './waiting-lines.ts'

/** `curfew -p`: runs one turn without a user interface. Returns the exit code. */
export async function runPrompt(input: PromptInput): Promise<number> {
  const { prompt } = input
  if (prompt === undefined)
    throw usageError('curfew', 'expected -p PROMPT or a command', `Example: ${exampleOf(input)}.`)
  const interruption = watchInterruptions()
  const activity = new Activity()
  const waiting = new WaitingLines({
    onWaiting: (one) => {
      activity.line(one.message)
      output.waiting?.(one)
    },
    isSuspended: isTerminalInUse,
  })
  const drain = async (): Promise<void> => {
    const done = waiting.track('the reader of standard output')
    await outputDrained(interruption.signal)
    done()
  }
  const output = createOutput(input.output, activity, drain)
  try {
    const run = new PromptRun(prompt, input, { interruption, activity, waiting, output })
    return await run.run()
  } catch (error) {
    const code = interruption.exitCode()
    if (code !== null) return code
    throw error
  } finally {
    waiting.close()
    interruption.dispose()
    exitSoon(interruption.exitCode() !== null)
  }
}

/** With the option that was given without a prompt. */
function exampleOf({ resume, continue: isContinued }: PromptInput): string {
  const option = isContinued ? '--continue' : resume === undefined ? '' : `--resume ${resume}`
  return oneLine(`curfew ${option} -p 'What does this project do?'`)
}

function createOutput(
  format: PromptInput['output'],
  activity: Activity,
  drain: () => Promise<void>,
): PromptOutput {
  switch (format) {
    case 'text':
      return textOutput(activity, drain)
    case 'json':
      return jsonOutput()
    case 'stream-json':
      return streamJsonOutput(drain)
  }
}

/** Nothing that a provider's package leaves behind may keep the process alive, but everything must be written. */
function exitSoon(isInterrupted: boolean): void {
  const exit = (): void => void setTimeout(() => process.exit(), 100).unref()
  const flushed = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  )
  // After Ctrl-C, a reader that does not read is not waited for.
  if (isInterrupted) exit()
  else void Promise.all(flushed).then(exit)
}
