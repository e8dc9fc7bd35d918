import {
  type AgentEvent,
  type CommandResult,
  parseInput,
  resolveMentions,
  type UserPart,
} from '@curfew/agent'
import { formatDuration, type QuestionHandler, type Transition } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { terminalQuestions } from '../ask/terminal-questions.ts'
import { type OptionValues, UsageError } from '../command.ts'
import type { promptOption, promptOptions } from '../commands/prompt-options.ts'
import type { modelOption, setOption } from '../commands/shared-options.ts'
import { Recorder } from '../journal/recorder.ts'
import { InvalidSettingError } from '../models/invalid-setting-error.ts'
import { reportProblems } from '../report-problems.ts'
import { shortId } from '../sessions/choose-session.ts'
import { stopTogether } from '../stop-together.ts'
import { terminalWidth } from '../terminal.ts'
import { writeError } from '../write.ts'
import type { Activity } from './activity.ts'
import { answerQuestions } from './answer-questions.ts'
import { CallLog } from './call-log.ts'
import { toCallRecord } from './call-record.ts'
import { describeEnd, messageOfEnd } from './describe-end.ts'
import { exitCodeOfCommand, exitCodes } from './exit-codes.ts'
import type { Interruption } from './interruption.ts'
import { type OpenedAgent, openAgent } from './open-agent.ts'
import { agentOptions } from './prompt-agent-options.ts'
import type { PromptOutput, RunEnd } from './prompt-output.ts'
import { type Prompt, readPrompt } from './read-prompt.ts'
import { showCommandResult } from './show-command-result.ts'
import type { WaitingLines } from './waiting-lines.ts'

/** The options of `curfew` and `curfew -p`. */
export type PromptInput = OptionValues<
  typeof promptOptions & {
    prompt: typeof promptOption
    model: typeof modelOption
    set: typeof setOption
  }
>

export interface RunContext {
  readonly interruption: Interruption
  readonly activity: Activity
  readonly waiting: WaitingLines
  readonly output: PromptOutput
}

/** How long servers that are being started may take to stop. */
const openGraceMs = 2_000

type Ending = Pick<RunEnd, 'reason' | 'message' | 'text'> & { readonly exitCode: number }

/** One run of `curfew -p`. */
export class PromptRun {
  readonly #prompt: string
  readonly #input: PromptInput
  readonly #context: RunContext
  readonly #startedAt = performance.now()
  readonly #recorder = new Recorder('prompt')

  constructor(prompt: string, input: PromptInput, context: RunContext) {
    this.#prompt = prompt
    this.#input = input
    this.#context = context
  }

  async run(): Promise<number> {
    const { interruption, waiting, activity } = this.#context
    const { signal } = interruption
    const track = (what: string): (() => void) => waiting.track(what)
    const notify = (message: string): void => activity.line(message)
    rejectShellCommand(this.#prompt)
    const prompt = await readPrompt(this.#prompt, { signal, track, notify })
    signal.throwIfAborted()
    const opened = await withGrace(this.#open(track, notify), signal).catch(async (error: unknown) => {
      await this.#recorder.close()
      throw error
    })
    const stopStopping = stopTogether()
    try {
      const ending = await this.#report(prompt, opened)
      return interruption.exitCode() ?? ending.exitCode
    } finally {
      const done = waiting.track('calls and servers to end')
      await opened.close()
      await this.#recorder.close()
      done()
      stopStopping()
    }
  }

  async #open(track: (what: string) => () => void, notify: (message: string) => void): Promise<OpenedAgent> {
    const { yes, resume, continue: isContinued, 'no-session': noSession } = this.#input
    const terminal = this.#terminalQuestions()
    return await openAgent({
      ...agentOptions(this.#input),
      command: '-p',
      session: noSession ? null : { resume, continue: isContinued },
      ask: answerQuestions({ yes, terminal }),
      attended: terminal !== undefined,
      notify,
      track,
      recorder: this.#recorder,
    })
  }

  /** What happens meanwhile is shown after the answer. */
  #terminalQuestions(): QuestionHandler | undefined {
    const ask = terminalQuestions()
    if (ask === undefined) return undefined
    return (question, context) =>
      Promise.resolve(ask(question, context)).finally(() => this.#context.activity.flush())
  }

  /** Runs what was typed, and reports it from start to end. */
  async #report(prompt: Prompt, opened: OpenedAgent): Promise<Ending> {
    const { output, activity, waiting } = this.#context
    const { agent, runtime, session } = opened
    const problem = opened.modelProblem()
    // Commands work without a model.
    const isFatal = problem !== null && isPrompt(prompt, opened)
    const { cause } = Object(problem) as { readonly cause?: unknown }
    const fatal = isFatal && cause instanceof InvalidSettingError ? cause.configProblem : null
    reportProblems(opened.problems.filter((one) => one !== fatal))
    if (isFatal) throw problem
    const calls = new CallLog(runtime)
    waiting.watch({ ...opened, argsOf: (uid) => calls.argsOf(uid) })
    await output.start?.({
      session: session?.id ?? null,
      model: opened.model(),
      mode: this.#input.mode ?? 'ask',
      folder: process.cwd(),
      tools: runtime.listTools('stub').map(({ name }) => name),
    })
    const ending = await this.#runTyped(prompt, opened, calls).catch((error: unknown) => {
      if (!this.#context.interruption.signal.aborted) throw error
      return { reason: 'abort', message: null, text: '', exitCode: exitCodes.abort } as const
    })
    await this.#showCalls(calls.takeAll(), ending.reason === 'command')
    const { exitCode, ...end } = ending
    const durationMs = Math.round(performance.now() - this.#startedAt)
    await output.end({ ...end, usage: agent.turnUsage(), durationMs })
    if (end.message !== null || (end.reason !== 'answer' && end.reason !== 'command'))
      activity.line(
        `curfew: ${end.reason === 'command' ? end.message : describeEnd(end.reason, end.message)}`,
      )
    if (end.reason === 'model-failure' && opened.modelProblem() === null) {
      const { model } = this.#input
      const option = model === undefined ? '' : ` --model ${model}`
      activity.line(`To check the model, its server and its key: curfew models${option}`)
    }
    if (end.reason !== 'command' && session !== null) this.#showResume(session.id)
    return ending
  }

  async #runTyped({ typed, input }: Prompt, opened: OpenedAgent, calls: CallLog): Promise<Ending> {
    const { activity, interruption } = this.#context
    const { signal } = interruption
    const { commands } = opened
    // Standard input is data: it must not run commands or read files.
    if (typed === null) return await this.#send([text(input)], opened, calls)
    const parsed = commands.parse(typed)
    const result: CommandResult =
      parsed.type === 'prompt'
        ? { type: 'prompt', parts: [text(parsed.text)], mentions: parsed.mentions }
        : await commands.run(parsed, { signal })
    if (result.type !== 'prompt') {
      if (input !== '')
        activity.line('standard input is ignored, because this command does not send a prompt')
      return endOfCommand(result, this.#input.output === 'text' ? terminalWidth(process.stdout) : undefined)
    }
    const { parts, unresolved } = await resolveMentions(result.mentions, opened.resolvers, signal)
    await this.#showCalls(calls.takeAll(), true)
    for (const { mention, message } of unresolved)
      if (message !== null) activity.line(`${mention.text} could not be read: ${message}`)
      else if (mention.type === 'path' || mention.type === 'glob')
        activity.line(`${mention.text} is sent as text, because there is no such file`)
    return await this.#send([...withInput(result.parts, input), ...parts], opened, calls)
  }

  async #send(parts: readonly UserPart[], opened: OpenedAgent, calls: CallLog): Promise<Ending> {
    const { interruption } = this.#context
    const problem = opened.modelProblem()
    if (problem !== null) {
      const exitCode = problem instanceof UsageError ? 2 : exitCodes['model-failure']
      return { reason: 'model-failure', message: messageOf(problem), text: '', exitCode }
    }
    let answer = ''
    for await (const event of opened.agent.send(parts, { signal: interruption.signal })) {
      if (event.type === 'end') {
        const { reason } = event
        return { reason, message: messageOfEnd(event), text: answer, exitCode: exitCodes[reason] }
      }
      if (event.type === 'text') answer += event.text
      if (event.type === 'call' && answer !== '') {
        await this.#context.output.interim?.(answer)
        answer = ''
      }
      await this.#show(event, calls)
    }
    throw new Error('the turn ended without an end event')
  }

  async #show(event: Exclude<AgentEvent, { type: 'end' }>, calls: CallLog): Promise<void> {
    const { output, activity, waiting } = this.#context
    switch (event.type) {
      case 'text':
        return await output.text?.(event.text)
      case 'reasoning':
        return await output.reasoning?.(event.text)
      case 'call':
        return await this.#showCalls(calls.take(event.row.uid))
      case 'usage':
        return await output.usage?.(event.usage)
      case 'notice':
        activity.notice(event.notice)
        if (event.notice.kind === 'retry') trackRetry(event.notice, waiting)
        return await output.notice?.(event.notice)
    }
  }

  async #showCalls(transitions: readonly Transition[], isTyped = false): Promise<void> {
    const { output, activity } = this.#context
    for (const transition of transitions) {
      const record = toCallRecord(transition)
      activity.call(record, isTyped && record.parentUid === null)
      await output.call?.(record)
    }
  }

  #showResume(id: string): void {
    if (!process.stderr.isTTY) return
    writeError(`To continue: curfew --resume ${shortId(id)} -p "..."\n`)
  }
}

/** Without a terminal, the prompt may come from elsewhere, such as the title of an issue. */
function rejectShellCommand(prompt: string): void {
  if (terminalQuestions() !== undefined || parseInput(prompt).type !== 'shell') return
  throw new UsageError(
    'curfew: -p: a prompt that starts with ! is a shell command, which -p runs only on a terminal; run the command in your shell, or write \\! to send the text to the model',
  )
}

/** After an interruption, something that hangs, such as a keychain, is not waited for. */
function withGrace<T>(opening: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    opening.then(resolve, reject)
    signal.addEventListener('abort', () => setTimeout(() => reject(signal.reason), openGraceMs), {
      once: true,
    })
  })
}

function trackRetry(
  { delayMs, attempt, maxAttempts }: { delayMs: number; attempt: number; maxAttempts: number },
  waiting: WaitingLines,
): void {
  const name = `attempt ${attempt + 1} of ${maxAttempts}`
  const done = waiting.track(name, (elapsedMs) => ({
    kind: 'model',
    name,
    uid: null,
    elapsedMs,
    limitMs: delayMs,
    message: `waiting for ${name}: in ${formatDuration(Math.max(0, delayMs - elapsedMs))}`,
  }))
  setTimeout(done, delayMs).unref()
}

function isPrompt({ typed }: Prompt, { commands }: OpenedAgent): boolean {
  return typed === null || commands.parse(typed).type === 'prompt'
}

function endOfCommand(
  result: Exclude<CommandResult, { type: 'prompt' }>,
  columns: number | undefined,
): Ending {
  const exitCode = exitCodeOfCommand(result)
  const shown = showCommandResult(result, columns)
  const isError = result.type === 'error'
  return { reason: 'command', message: isError ? shown : null, text: isError ? '' : shown, exitCode }
}

function text(content: string): UserPart {
  return { type: 'text', text: content }
}

/** After the typed text, separated by an empty line. */
function withInput(parts: readonly UserPart[], input: string): readonly UserPart[] {
  return input === '' ? parts : [...parts, text(`\n\n${input}`)]
}
