import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { type Rejection, sendEmpty, sendRejection } from './send-response.ts'
import type { SessionTransport } from './session-transport.ts'
import { maxSessions, type Sessions } from './sessions.ts'

/** The only version with batches. */
const batchVersion = '2025-03-26'

/** Serves a POST of a 2025 client. The body is a validated message or batch. */
export async function serveSessionPost(
  sessions: Sessions,
  request: IncomingMessage,
  response: ServerResponse,
  body: JSONRPCMessage | JSONRPCMessage[],
): Promise<void> {
  const batch = Array.isArray(body)
  const messages = batch ? body : [body]
  const id = batch || !('id' in body) || !('method' in body) ? null : body.id
  if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream')) {
    sendRejection(response, { ...notAcceptable('application/json and text/event-stream'), id: id ?? null })
    return
  }
  const initialize = messages.some((message) => 'method' in message && message.method === 'initialize')
  if (initialize && request.headers['mcp-session-id'] === undefined) {
    await startSession(sessions, response, messages, { batch, id: id ?? null })
    return
  }
  const session = sessionOf(sessions, request)
  if ('status' in session) {
    sendRejection(response, { ...session, id: id ?? null })
  } else if (initialize) {
    sendRejection(response, { ...invalid('This session is already initialized.'), id: id ?? null })
  } else if (batch && session.protocolVersion !== batchVersion) {
    sendRejection(
      response,
      invalid(`Batches are part of version ${batchVersion} only. Send one message per request.`),
    )
  } else {
    session.receive(response, messages, batch)
  }
}

/** GET: opens the stream for messages outside of a request. */
export function serveSessionStream(
  sessions: Sessions,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (!accepts(request, 'text/event-stream')) {
    sendRejection(response, notAcceptable('text/event-stream'))
    return
  }
  const session = sessionOf(sessions, request)
  if ('status' in session) sendRejection(response, session)
  else if (!session.openStream(response)) {
    sendRejection(response, {
      status: 409,
      code: -32000,
      message: 'This session already has an open stream; only one is allowed.',
    })
  }
}

/** DELETE: ends the session. */
export function endSession(sessions: Sessions, request: IncomingMessage, response: ServerResponse): void {
  const session = sessionOf(sessions, request)
  if ('status' in session) {
    sendRejection(response, session)
    return
  }
  sessions.end(session.sessionId)
  sendEmpty(response, 200)
}

async function startSession(
  sessions: Sessions,
  response: ServerResponse,
  messages: readonly JSONRPCMessage[],
  { batch, id }: { readonly batch: boolean; readonly id: string | number | null },
): Promise<void> {
  if (batch) {
    sendRejection(response, invalid('initialize is not allowed in a batch.'))
    return
  }
  const session = await sessions.create()
  if (session === null) {
    sendRejection(response, {
      status: 503,
      code: -32000,
      message: `The limit of ${maxSessions} sessions is reached. End one with DELETE, or try again later: a session that is idle for an hour is ended.`,
      id,
      headers: ['Retry-After', '10'],
    })
    return
  }
  session.receive(response, messages, false)
}

function sessionOf(sessions: Sessions, { headers }: IncomingMessage): SessionTransport | Rejection {
  const id = headers['mcp-session-id']
  if (typeof id !== 'string' || id === '') {
    return {
      status: 400,
      code: -32000,
      message: 'The header Mcp-Session-Id is missing. Send initialize first.',
    }
  }
  const session = sessions.get(id)
  if (session === undefined) {
    return {
      status: 404,
      code: -32001,
      message: 'Session not found. Start a new one with initialize.',
    }
  }
  const version = headers['mcp-protocol-version']
  if (typeof version === 'string' && !session.supportedVersions.includes(version)) {
    const supported = session.supportedVersions.join(', ')
    return {
      status: 400,
      code: -32000,
      message: `Protocol version ${JSON.stringify(version)} is not supported. Supported: ${supported}.`,
    }
  }
  return session
}

function accepts({ headers }: IncomingMessage, type: string): boolean {
  const accept = headers.accept
  if (accept === undefined) return false
  return (
    accept.includes(type) ||
    accept.includes('*/*') ||
    accept.includes(`${type.slice(0, type.indexOf('/'))}/*`)
  )
}

function notAcceptable(types: string): Rejection {
  return { status: 406, code: -32000, message: `The header Accept must contain ${types}.` }
}

function invalid(message: string): Rejection {
  return { status: 400, code: -32600, message }
}
