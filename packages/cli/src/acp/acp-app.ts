import { isAbsolute } from 'node:path'
import {
  type AgentApp,
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionModeState,
} from '@agentclientprotocol/sdk'
import { type AgentMode, listSessions } from '@curfew/agent'
import { messageOf } from '@curfew/core/internal'
import { configRoots } from '@curfew/extensions'
import { curfewVersion } from '../curfew-version.ts'
import { Recorder } from '../journal/recorder.ts'
import { stateHome } from '../state-home.ts'
import { AcpSession, type SessionRequest } from './acp-session.ts'
import type { AcpInput } from './run-acp.ts'

export interface AcpAppOptions extends AcpInput {
  /** Receives what an editor does not show. */
  readonly log: (message: string) => void
}

export interface AcpApp {
  readonly app: AgentApp
  /** Ends all sessions and everything that runs in them. */
  close(): Promise<void>
}

/** The most sessions that one connection can have open. */
const maxSessions = 32

/** The agent's side of the Agent Client Protocol. */
export function createAcpApp(options: AcpAppOptions): AcpApp {
  const sessions = new Map<string, AcpSession>()
  const recorder = new Recorder('acp')
  let capabilities: ClientCapabilities = {}
  let opening = 0

  const open = async (request: SessionRequest, client: AgentContext): Promise<AcpSession> => {
    if (!isAbsolute(request.cwd)) throw invalid(`cwd: expected an absolute path, got ${request.cwd}`)
    if (sessions.size + opening >= maxSessions)
      throw invalid(`at most ${maxSessions} sessions can be open at a time; close one with session/close`)
    opening++
    try {
      const session = await AcpSession.open(request, { ...options, client, capabilities, recorder })
      await sessions.get(session.id)?.close()
      sessions.set(session.id, session)
      return session
    } catch (error) {
      throw invalid(messageOf(error).replace(/^curfew: /, ''))
    } finally {
      opening--
    }
  }

  const find = (id: string): AcpSession => {
    const session = sessions.get(id)
    if (session === undefined) throw RequestError.sessionNotFound(id)
    return session
  }

  const app = agent({ name: 'curfew' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities ?? {}
      return initializeResponse()
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const session = await open({ ...params, sessionId: null }, client)
      session.announceCommands()
      return { sessionId: session.id, modes: modeState(session.mode) }
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const session = await open(params, client)
      await session.replay()
      session.announceCommands()
      return { modes: modeState(session.mode) }
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const session = await open({ ...params, mcpServers: params.mcpServers ?? [] }, client)
      session.announceCommands()
      return { modes: modeState(session.mode) }
    })
    .onRequest(methods.agent.session.list, async ({ params }) => ({
      sessions: await savedSessions(params.cwd ?? null),
    }))
    .onRequest(methods.agent.session.close, async ({ params }) => {
      const session = find(params.sessionId)
      sessions.delete(params.sessionId)
      await session.close()
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      find(params.sessionId).setMode(readMode(params.modeId))
    })
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      find(params.sessionId).prompt(params.prompt, signal),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      sessions.get(params.sessionId)?.cancel()
    })

  return {
    app,
    close: async () => {
      await Promise.all([...sessions.values()].map((session) => session.close()))
      await recorder.close()
    },
  }
}

function initializeResponse(): InitializeResponse {
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'curfew', title: 'Curfew', version: curfewVersion() },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
    authMethods: [],
  }
}

interface SavedSession {
  readonly sessionId: string
  readonly cwd: string
  readonly title: string
  readonly updatedAt: string
}

async function savedSessions(cwd: string | null): Promise<SavedSession[]> {
  const project = cwd === null ? undefined : configRoots({ cwd }).projectFolder
  const folder = stateHome()
  const sessions = await listSessions(project === undefined ? { folder } : { folder, project })
  return sessions.map(({ id, project, prompt, updatedAt }) => ({
    sessionId: id,
    cwd: project,
    title: prompt,
    updatedAt: new Date(updatedAt).toISOString(),
  }))
}

function invalid(message: string): RequestError {
  return RequestError.invalidParams(undefined, message)
}

const modes: Readonly<Record<AgentMode, { readonly name: string; readonly description: string }>> = {
  plan: { name: 'Plan', description: 'Only tools that change nothing run' },
  ask: { name: 'Ask', description: 'The rules decide; other calls need approval' },
  'accept-edits': { name: 'Accept edits', description: 'Edits of files run without approval' },
}

function modeState(currentModeId: AgentMode): SessionModeState {
  const availableModes = Object.entries(modes).map(([id, mode]) => ({ id, ...mode }))
  return { currentModeId, availableModes }
}

function readMode(id: string): AgentMode {
  if (Object.hasOwn(modes, id)) return id as AgentMode
  const known = Object.keys(modes).join(', ')
  throw RequestError.invalidParams(undefined, `modeId: expected one of ${known}, got ${JSON.stringify(id)}`)
}
