import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { type Rejection, sendEmpty, sendRejection } from './send-response.ts'
import type { SessionTransport } from './session-transport.ts'
import { maxSessions, type Sessions } from './sessions.ts'

/** The last version with batches; they were in one version only. */
const batchVersion = '2025-03-26'

/** A POST of a 2025-era client. Its body is one message, or a batch; that it is well formed was checked before. */
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
    await begin(sessions, response, messages, { batch, id: id ?? null })
    return
  }
  const session = sessionOf(sessions, request)
  if ('status' in session) {
    sendRejection(response, { ...session, id: id ?? null })
  } else if (initialize) {
    sendRejection(response, { ...invalid('This session has begun already.'), id: id ?? null })
  } else if (batch && session.protocolVersion !== batchVersion) {
    sendRejection(
      response,
      invalid(`Batches are part of version ${batchVersion} only. Send one message per request.`),
    )
  } else {
    session.receive(response, messages, batch)
  }
}

/** GET: the stream for what belongs to no request. */
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
      message: 'This session has its stream open already; there can be one at a time.',
    })
  }
}

/** DELETE: the client is done. */
export function endSession(sessions: Sessions, request: IncomingMessage, response: ServerResponse): void {
  const session = sessionOf(sessions, request)
  if ('status' in session) {
    sendRejection(response, session)
    return
  }
  sessions.end(session.sessionId)
  sendEmpty(response, 200)
}

async function begin(
  sessions: Sessions,
  response: ServerResponse,
  messages: readonly JSONRPCMessage[],
  { batch, id }: { readonly batch: boolean; readonly id: string | number | null },
): Promise<void> {
  if (batch) {
    sendRejection(response, invalid('initialize must stand alone, not in a batch.'))
    return
  }
  const session = await sessions.create()
  if (session === null) {
    sendRejection(response, {
      status: 503,
      code: -32000,
      message: `There are ${maxSessions} sessions already. End one with DELETE, or try again later: those that are not used for an hour end by themselves.`,
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
      message: 'The header Mcp-Session-Id is missing. A session begins with initialize.',
    }
  }
  const session = sessions.get(id)
  if (session === undefined) {
    return {
      status: 404,
      code: -32001,
      message: 'There is no such session. Begin a new one with initialize.',
    }
  }
  const version = headers['mcp-protocol-version']
  if (typeof version === 'string' && !session.supportedVersions.includes(version)) {
    const supported = session.supportedVersions.join(', ')
    return {
      status: 400,
      code: -32000,
      message: `Protocol version ${JSON.stringify(version)} is not supported here. Supported: ${supported}.`,
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
  return { status: 406, code: -32000, message: `The header Accept must name ${types}.` }
}

function invalid(message: string): Rejection {
  return { status: 400, code: -32600, message }
}
