import type {
  AgentContext,
  ClientCapabilities,
  ContentBlock,
  McpServer,
  PromptResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk'
import { methods, RequestError } from '@agentclientprotocol/sdk'
import {
  type AgentEvent,
  type AgentMode,
  type CommandResult,
  type EndReason,
  resolveMentions,
  textOfResult,
  type UserPart,
} from '@curfew/agent'
import { type DescribedChange, describeFileChange, type EditorFiles } from '@curfew/agent/tools'
import { messageOf } from '@curfew/core/internal'
import { formatProblem } from '@curfew/extensions'
import { CallLog } from '../agent/call-log.ts'
import { type OpenedAgent, openAgent } from '../agent/open-agent.ts'
import type { Recorder } from '../journal/recorder.ts'
import type { AcpAppOptions } from './acp-app.ts'
import { askClient } from './ask-client.ts'
import { outputUpdate, startUpdate, stateUpdate } from './call-updates.ts'
import { clientFiles } from './client-files.ts'
import { readClientServers } from './client-servers.ts'
import { readPromptBlocks } from './prompt-input.ts'
import { replayItem } from './replay-history.ts'

export interface SessionRequest {
  /** The session to continue; `null` for a new one. */
  readonly sessionId: string | null
  readonly cwd: string
  readonly additionalDirectories?: readonly string[] | undefined
  readonly mcpServers: readonly McpServer[]
}

interface SessionOptions extends AcpAppOptions {
  readonly client: AgentContext
  readonly capabilities: ClientCapabilities
  readonly recorder: Recorder
}

/** One conversation with an editor. It has its own runtime, so nothing of it affects another one. */
export class AcpSession {
  readonly #opened: OpenedAgent
  readonly #client: AgentContext
  readonly #calls: CallLog
  readonly #editor: EditorFiles | undefined
  /** The calls that the editor knows. */
  readonly #announced = new Set<number>()
  #stop = new AbortController()

  static async open(request: SessionRequest, options: SessionOptions): Promise<AcpSession> {
    const { cwd, sessionId, mcpServers } = request
    const { client, capabilities, log, recorder } = options
    let session: AcpSession | null = null
    const idOfSession = (): string => session?.id ?? ''
    const editor = clientFiles(client, capabilities, idOfSession)
    const opened = await openAgent({
      command: 'acp',
      cwd,
      commandTools: false,
      servers: readClientServers(mcpServers, cwd),
      model: options.model,
      set: options.set,
      allow: [],
      addedFolders: request.additionalDirectories ?? [],
      mode: options.mode,
      session: { resume: sessionId ?? undefined, continue: false },
      attended: true,
      editor,
      notify: log,
      track: () => () => {},
      recorder,
      ask: askClient({
        client,
        capabilities,
        describeChange: async (name, params) => (await session?.describeChange(name, params)) ?? null,
        sessionId: idOfSession,
        announce: async (uid) => await session?.announce(uid),
      }),
    })
    for (const problem of opened.problems) log(formatProblem(problem))
    session = new AcpSession(opened, client, editor)
    return session
  }

  private constructor(opened: OpenedAgent, client: AgentContext, editor: EditorFiles | undefined) {
    this.#opened = opened
    this.#client = client
    this.#editor = editor
    this.#calls = new CallLog(opened.runtime)
  }

  get id(): string {
    return this.#opened.session!.id
  }

  get mode(): AgentMode {
    return this.#opened.agent.getSnapshot().mode ?? 'ask'
  }

  setMode(mode: AgentMode): void {
    this.#opened.agent.setMode(mode)
    void this.#update({ sessionUpdate: 'current_mode_update', currentModeId: mode })
  }

  /** After the response to the request that opened the session. */
  announceCommands(): void {
    const availableCommands = this.#opened.commands.list().map(({ name, summary }) => ({
      name,
      description: summary,
      input: { hint: 'arguments' },
    }))
    setImmediate(() => void this.#update({ sessionUpdate: 'available_commands_update', availableCommands }))
  }

  /** Sends the conversation so far. */
  async replay(): Promise<void> {
    for (const update of this.#opened.agent.getSnapshot().items.flatMap(replayItem))
      await this.#update(update)
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    const stop = AbortSignal.any([signal, this.#stop.signal])
    const { commands, resolvers } = this.#opened
    const { typed, attached } = readPromptBlocks(blocks)
    const parsed = commands.parse(typed)
    const result: CommandResult =
      parsed.type === 'prompt'
        ? { type: 'prompt', parts: [{ type: 'text', text: parsed.text }], mentions: parsed.mentions }
        : await commands.run(parsed, { signal: stop })
    if (result.type !== 'prompt') {
      await this.#text('agent_message_chunk', textOfResult(result))
      return { stopReason: stop.aborted ? 'cancelled' : 'end_turn' }
    }
    try {
      const { parts, unresolved } = await resolveMentions(result.mentions, resolvers, stop)
      for (const { mention, message } of unresolved)
        if (message !== null)
          await this.#text('agent_thought_chunk', `${mention.text} could not be read: ${message}\n`)
      return await this.#send([...result.parts, ...attached, ...parts], stop)
    } catch (error) {
      if (stop.aborted) return { stopReason: 'cancelled' }
      throw error
    }
  }

  cancel(): void {
    this.#stop.abort()
    this.#stop = new AbortController()
    this.#opened.agent.cancel()
  }

  async close(): Promise<void> {
    this.cancel()
    await this.#opened.close()
  }

  /** What a call would do to a file. */
  async describeChange(name: string, params: unknown): Promise<DescribedChange | null> {
    return await describeFileChange(this.#opened.workspace, { name, params }, this.#editor)
  }

  /** Makes sure that the editor knows a call before it is asked about it. */
  async announce(uid: number): Promise<void> {
    await this.#showCalls(uid)
  }

  async #send(parts: readonly UserPart[], signal: AbortSignal): Promise<PromptResponse> {
    const problem = this.#opened.modelProblem()
    if (problem !== null) throw failure(messageOf(problem).replace(/^curfew: /, ''))
    for await (const event of this.#opened.agent.send(parts, { signal })) {
      if (event.type === 'end') return endOfPrompt(event.reason, event.message)
      await this.#show(event)
    }
    throw failure('the turn ended unexpectedly')
  }

  async #show(event: Exclude<AgentEvent, { type: 'end' }>): Promise<void> {
    switch (event.type) {
      case 'text':
        return await this.#text('agent_message_chunk', event.text)
      case 'reasoning':
        return await this.#text('agent_thought_chunk', event.text)
      case 'call': {
        await this.#showCalls(event.row.uid)
        const { status, outputTail, outputPending } = event.row
        if (status === 'executing' && outputTail + outputPending !== '')
          await this.#update(outputUpdate(event.row))
        return
      }
      case 'usage': {
        const { tokens, window } = this.#opened.agent.getSnapshot().context
        if (window !== null) await this.#update({ sessionUpdate: 'usage_update', used: tokens, size: window })
        return
      }
      case 'notice': {
        const { notice } = event
        const message =
          notice.kind === 'retry'
            ? `${notice.cause}; attempt ${notice.attempt + 1} of ${notice.maxAttempts} follows`
            : notice.message
        return await this.#text('agent_thought_chunk', `${message}\n`)
      }
    }
  }

  async #showCalls(uid: number): Promise<void> {
    for (const transition of this.#calls.take(uid)) {
      if (this.#announced.has(uid)) await this.#update(stateUpdate(transition))
      else {
        this.#announced.add(uid)
        await this.#update(
          startUpdate(transition, await this.describeChange(transition.name, transition.call.args)),
        )
      }
      if ('result' in transition.state) this.#announced.delete(uid)
    }
  }

  async #text(sessionUpdate: 'agent_message_chunk' | 'agent_thought_chunk', text: string): Promise<void> {
    if (text !== '') await this.#update({ sessionUpdate, content: { type: 'text', text } })
  }

  /** An editor that has gone is noticed by the connection. */
  async #update(update: SessionUpdate): Promise<void> {
    const params = { sessionId: this.id, update: this.#opened.runtime.redact(update) }
    await this.#client.notify(methods.client.session.update, params).catch(() => {})
  }
}

function endOfPrompt(reason: EndReason, message: string | null): PromptResponse {
  switch (reason) {
    case 'answer':
    case 'model-switched':
      return { stopReason: 'end_turn' }
    case 'cancelled':
    case 'abort':
      return { stopReason: 'cancelled' }
    case 'limit':
    case 'loop':
    case 'budget':
      return {
        stopReason: 'max_turn_requests',
        _meta: { 'curfew/reason': reason, 'curfew/message': message },
      }
    case 'model-failure':
      throw failure(message ?? 'the model failed')
  }
}

function failure(message: string): RequestError {
  return RequestError.internalError(undefined, message)
}
