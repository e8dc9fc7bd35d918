import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type CallRow, formatDuration, type Runtime, type ToolContext } from '@curfew/core'
import { type Clock, systemClock } from '@curfew/core/internal'
import type { EndReason } from '../loop/agent-event.ts'
import type { AgentMode } from '../loop/agent-mode.ts'
import type { AgentOptions } from '../loop/agent-options.ts'
import { createAgent } from '../loop/create-agent.ts'
import { childDeadline } from './child-deadline.ts'
import { restrictChild, toolsOfChild } from './child-tools.ts'

/** What all children of an agent have in common. */
export interface ChildOptions
  extends Pick<AgentOptions, 'limits' | 'contextWindow' | 'prices' | 'edits' | 'turnMiddleware'> {
  readonly runtime: Runtime
  /** The model of a child that names none: that of the agent which starts it. */
  model(): LanguageModelV4
  /** Opens another model: `provider:name`. */
  openModel(name: string): Promise<LanguageModelV4>
  /** Begins every system prompt, such as the working directory. */
  readonly system?: string | undefined
  /** For tests. */
  readonly clock?: Clock | undefined
}

export interface ChildTask {
  /** The name of the agent in traces. */
  readonly name: string
  readonly prompt: string
  readonly instructions: string
  /** Each list restricts the tools further. */
  readonly tools: readonly (readonly string[])[]
  /** `null`: that of the agent which starts it. */
  readonly model: string | null
  /** `null`: that of the agent which starts it. */
  readonly mode: AgentMode | null
  /** Its limit, if shorter than that of the call. */
  readonly limitMs?: number | undefined
  /** Receives what it does, for people. */
  show(text: string): void
}

/** What a child has done. */
export interface ChildReport {
  /** The final answer; what it has written so far if it ended without one. */
  readonly answer: string
  readonly ended: EndReason
  /** Why it ended, if not with an answer. */
  readonly message: string | null
  readonly calls: readonly ChildCalls[]
  readonly durationMs: number
}

export interface ChildCalls {
  readonly tool: string
  readonly count: number
  readonly failed: number
}

const preamble =
  'You are a subagent: another agent has given you one task, and only your final message is returned to it. ' +
  'Complete the task with the tools you have, then answer with everything it needs, including what you could not do. ' +
  'Nobody answers questions in between.'

/** Runs another agent inside a call. Throws the reason if the call is stopped. */
export async function runChild(
  options: ChildOptions,
  task: ChildTask,
  context: ToolContext,
): Promise<ChildReport> {
  const { runtime, limits, contextWindow, prices, edits, turnMiddleware, clock = systemClock } = options
  const startedAt = clock.now()
  const model = task.model === null ? options.model() : await options.openModel(task.model)
  const tools = toolsOfChild(runtime, context, task.tools)
  const endRestriction = tools === null ? null : restrictChild(runtime, context.uid, tools)
  const agent = createAgent({
    name: task.name,
    model,
    runtime,
    within: context,
    deadline: childDeadline(context, task.limitMs),
    system: [options.system, preamble, task.instructions].filter(Boolean).join('\n\n'),
    mode: task.mode ?? undefined,
    ...(tools !== null && { conversation: { tools } }),
    limits,
    contextWindow,
    prices,
    edits,
    turnMiddleware,
    clock,
  })
  const activity = new ChildActivity(context, task.show)
  try {
    for await (const event of agent.send(task.prompt, { signal: context.signal as AbortSignal })) {
      if (event.type === 'text') activity.text(event.text)
      else if (event.type === 'call') activity.call(event.row)
      else if (event.type === 'end') {
        context.signal.throwIfAborted()
        const { reason: ended, message } = event
        return { ...activity.report(), ended, message, durationMs: Math.round(clock.now() - startedAt) }
      }
    }
    throw context.signal.reason
  } finally {
    endRestriction?.()
    await agent.close()
  }
}

/** More is only in the live output. */
const maxNotes = 20_000

/** Follows what a child does, and shows it as the output of its call. */
class ChildActivity {
  readonly #context: ToolContext
  readonly #show: (text: string) => void
  readonly #calls = new Map<string, { count: number; failed: number }>()
  readonly #started = new Set<number>()
  readonly #ended = new Set<number>()
  /** What it wrote before its last calls. */
  #notes = ''
  #text = ''

  constructor(context: ToolContext, show: (text: string) => void) {
    this.#context = context
    this.#show = show
  }

  text(text: string): void {
    this.#text += text
    this.#show(text)
  }

  /** Only its own calls, not those inside of them. */
  call({ uid, parentUid, name, args, status, code, endedAt }: CallRow): void {
    if (parentUid !== this.#context.uid || this.#ended.has(uid)) return
    if (!this.#started.has(uid)) {
      this.#started.add(uid)
      const { count = 0, failed = 0 } = this.#calls.get(name) ?? {}
      this.#calls.set(name, { count: count + 1, failed })
      this.#endText()
      this.#show(`› ${name}${args === '' ? '' : ` ${args}`}\n`)
      this.#context.progress({ current: this.#started.size, message: name })
    }
    if (endedAt === null) return
    this.#ended.add(uid)
    if (status === 'success') return
    this.#calls.get(name)!.failed++
    this.#show(`✗ ${name}: ${code}\n`)
  }

  report(): Pick<ChildReport, 'answer' | 'calls'> {
    const written = this.#text.trim() === '' ? this.#notes : this.#text
    return {
      answer: written.trim(),
      calls: [...this.#calls].map(([tool, { count, failed }]) => ({ tool, count, failed })),
    }
  }

  #endText(): void {
    if (this.#text.trim() === '') return
    if (!this.#text.endsWith('\n')) this.#show('\n')
    this.#notes = `${this.#notes}${this.#text.trim()}\n\n`.slice(-maxNotes)
    this.#text = ''
  }
}

/** One line about what a child did, for the agent that started it. */
export function describeChild(name: string, { calls, ended, message, durationMs }: ChildReport): string {
  const used = calls.map(
    ({ tool, count, failed }) =>
      `${tool}${count > 1 ? ` ${count}×` : ''}${failed > 0 ? ` (${failed} failed)` : ''}`,
  )
  const done = used.length === 0 ? 'no tool calls' : used.join(', ')
  const end = ended === 'answer' ? '' : `; it ended early (${ended}${message === null ? '' : `: ${message}`})`
  return `[${name}: ${done}, ${formatDuration(durationMs)}${end}]`
}
