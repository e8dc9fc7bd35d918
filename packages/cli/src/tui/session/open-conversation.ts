import type { CommandHost } from '@curfew/agent'
import type { OpenAgentOptions, OpenedAgent } from '../../agent/open-agent.ts'
import { agentOptions } from '../../agent/prompt-agent-options.ts'
import type { PromptInput } from '../../agent/prompt-run.ts'
import { problemLine } from '../../report-problems.ts'
import type { SessionChoice } from '../../sessions/choose-session.ts'
import { maxRecords } from '../calls/call-records.ts'
import type { TerminalSession } from './terminal-session.ts'

export interface ConversationOptions
  extends Pick<OpenAgentOptions, 'ask' | 'onRuntime' | 'track' | 'recorder'> {
  readonly input: PromptInput
  /** A new conversation, or which one to continue. */
  readonly choice: SessionChoice
  readonly session: TerminalSession
  /** The person has quit. */
  readonly signal: AbortSignal
  readonly host: Partial<CommandHost>
}

/** Opens an agent, and prints the conversation that is continued, or why there is no model. Warnings are in the state of the session. */
export async function openConversation(options: ConversationOptions): Promise<OpenedAgent> {
  const { openAgent } = await import('../../agent/open-agent.ts')
  const { choice, session, ask, onRuntime, track, recorder, signal, host } = options
  const warnings: string[] = []
  let warn = (message: string): void => void warnings.push(message)
  const opened = await openAgent({
    ...agentOptions(options.input),
    command: '',
    session: options.input['no-session'] ? null : choice,
    ask,
    onRuntime,
    attended: true,
    keepFinished: maxRecords,
    notify: (message) => warn(message),
    track,
    recorder,
    signal,
    host,
  })
  warnings.push(...opened.problems.map(problemLine))
  warn = (message) => session.printer.note('warning', message)
  session.state.set({ warnings })
  const problem = opened.modelProblem()
  if (problem !== null) session.printer.noModel(problem)
  session.printer.history(opened.agent.getSnapshot().items)
  return opened
}
