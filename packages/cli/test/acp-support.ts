import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import {
  type ClientContext,
  client,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'
import type { PromptSetup } from './prompt-support.ts'

export interface Editor {
  readonly agent: ClientContext
  readonly updates: readonly SessionUpdate[]
  readonly permissions: readonly RequestPermissionRequest[]
  /** How often the editor was asked for the content of a file. */
  readonly reads: number
  readonly child: ChildProcess
  /** What the agent said. */
  text(): string
  initialize(capabilities?: object): Promise<unknown>
  /** The session's id. */
  newSession(more?: object): Promise<string>
  prompt(sessionId: string, text: string): Promise<{ stopReason: string }>
  /** Closes the connection as an editor does; resolves with the exit code. */
  close(): Promise<number | null>
}

type Answer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>

/** The SDK's own client, connected to the built `curfew acp`. */
export function openEditor(
  setup: PromptSetup,
  args: readonly string[],
  answer: Answer = rejectAll,
  /** Open files, by path; or the response to every request for one. */
  buffers: Map<string, string> | Promise<never> = new Map(),
): Editor {
  // Without keys of providers, which would be used if there is no --model.
  const child = setup.start(['acp', ...args], 'pipe', { ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '' })
  child.stderr!.resume()
  const updates: SessionUpdate[] = []
  const permissions: RequestPermissionRequest[] = []
  let reads = 0
  const app = client({ name: 'test editor' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update)
    })
    .onRequest(methods.client.fs.readTextFile, ({ params }) => {
      reads++
      if (buffers instanceof Promise) return buffers
      const content = buffers.get(params.path)
      if (content === undefined) throw new Error('is not open')
      return { content }
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => {
      if (buffers instanceof Map) buffers.set(params.path, params.content)
    })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      permissions.push(params)
      return answer(params)
    })
  const connection = app.connect(
    ndJsonStream(Writable.toWeb(child.stdin!), Readable.toWeb(child.stdout!) as ReadableStream<Uint8Array>),
  )
  const agent = connection.agent
  const exited = once(child, 'exit') as Promise<[number | null]>
  return {
    agent,
    updates,
    permissions,
    get reads() {
      return reads
    },
    child,
    text: () =>
      updates
        .map((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text'
            ? update.content.text
            : '',
        )
        .join(''),
    initialize: (clientCapabilities = {}) =>
      agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities }),
    newSession: async (more = {}) => {
      const params: NewSessionRequest = { cwd: setup.project, mcpServers: [], ...more }
      return (await agent.request(methods.agent.session.new, params)).sessionId
    },
    prompt: (sessionId, text) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    close: async () => {
      connection.close()
      child.stdin!.end()
      const [code] = await exited
      return code
    },
  }
}

export function select(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: 'selected', optionId } }
}

function rejectAll(): RequestPermissionResponse {
  return select('no')
}
