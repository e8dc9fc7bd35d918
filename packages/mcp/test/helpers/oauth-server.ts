import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  type Answer,
  answerText,
  type FakeServer,
  sendJson,
  serveMcp,
  startFakeServer,
} from './fake-server.ts'

/** An MCP server that requires a token, and its authorization server. A test can make them misbehave. */
export interface OAuthServer {
  /** The URL of the MCP server. */
  readonly url: string
  readonly resource: FakeServer
  readonly signIn: FakeServer
  /** The number of requests to the authorization server, by kind. */
  readonly counts: { registered: number; authorized: number; exchanged: number; refreshed: number }
  /** All values that must stay secret: tokens, codes, verifiers. */
  readonly secrets: Set<string>
  /** Invalidates all access tokens. */
  expire(): void
  /** Invalidates all refresh tokens. */
  revoke(): void
  /** Changes the response to the client and the behaviour of the authorization server. */
  readonly spoil: {
    answer?: (params: URLSearchParams) => void
    metadata?: object
    refresh?: number
    accepts?: boolean
    /** The authorization server does not respond. */
    silent?: boolean
    /** The authorization server that the MCP server names. */
    named?: string
    /** The URL of its metadata, as the server states it. */
    described?: string
  }
}

interface Grant {
  readonly challenge: string
  readonly redirectUri: string
  readonly clientId: string
}

export async function startOAuthServer(): Promise<OAuthServer> {
  const counts = { registered: 0, authorized: 0, exchanged: 0, refreshed: 0 }
  const spoil: OAuthServer['spoil'] = {}
  const secrets = new Set<string>()
  const clients = new Map<string, readonly string[]>()
  const grants = new Map<string, Grant>()
  const access = new Set<string>()
  const refresh = new Map<string, string>()

  const secret = (): string => {
    const value = randomUUID()
    secrets.add(value)
    return value
  }
  const issueTokens = (clientId: string, response: ServerResponse): true => {
    const tokens = { access_token: secret(), refresh_token: secret() }
    access.add(tokens.access_token)
    refresh.set(tokens.refresh_token, clientId)
    return sendJson(response, 200, { ...tokens, token_type: 'Bearer', expires_in: 3600 })
  }

  const authorize: Answer = ({ path }, response) => {
    const { pathname, searchParams: asked } = new URL(path, 'http://x')
    if (pathname !== '/authorize') return false
    counts.authorized++
    const [clientId, redirectUri] = [asked.get('client_id')!, asked.get('redirect_uri')!]
    // Compared exactly, as many servers do.
    if (!clients.get(clientId)?.includes(redirectUri))
      return sendJson(response, 400, { error: 'invalid_redirect_uri' })
    const code = secret()
    grants.set(code, { challenge: asked.get('code_challenge')!, redirectUri, clientId })
    const back = new URL(redirectUri)
    const params = { code, state: asked.get('state')!, iss: signIn.origin }
    for (const [name, value] of Object.entries(params)) back.searchParams.set(name, value)
    spoil.answer?.(back.searchParams)
    response.writeHead(302, { location: back.href }).end()
    return true
  }

  const register: Answer = ({ path, body }, response) => {
    if (path !== '/register') return false
    counts.registered++
    const metadata = JSON.parse(body) as { redirect_uris: string[] }
    const clientId = `client-${counts.registered}`
    clients.set(clientId, metadata.redirect_uris)
    return sendJson(response, 201, { ...metadata, client_id: clientId })
  }

  const token: Answer = ({ path, body }, response) => {
    if (path !== '/token') return false
    const form = new URLSearchParams(body)
    const rejectGrant = (): true => sendJson(response, 400, { error: 'invalid_grant' })
    if (form.get('grant_type') === 'refresh_token') {
      counts.refreshed++
      if (spoil.refresh !== undefined) return sendJson(response, spoil.refresh, {})
      const used = form.get('refresh_token')!
      if (refresh.get(used) !== form.get('client_id')) return rejectGrant()
      refresh.delete(used)
      return issueTokens(form.get('client_id')!, response)
    }
    counts.exchanged++
    const grant = grants.get(form.get('code')!)
    const verifier = form.get('code_verifier') ?? ''
    secrets.add(verifier)
    const proof = createHash('sha256').update(verifier).digest('base64url')
    if (grant?.challenge !== proof || grant.redirectUri !== form.get('redirect_uri')) return rejectGrant()
    grants.delete(form.get('code')!)
    return issueTokens(grant.clientId, response)
  }

  const describeSignIn: Answer = ({ path }, response) =>
    path === '/.well-known/oauth-authorization-server' &&
    sendJson(response, 200, {
      issuer: signIn.origin,
      authorization_endpoint: `${signIn.origin}/authorize`,
      token_endpoint: `${signIn.origin}/token`,
      registration_endpoint: `${signIn.origin}/register`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      ...spoil.metadata,
    })

  const describeResource: Answer = ({ path }, response) =>
    path === '/.well-known/oauth-protected-resource/mcp' &&
    sendJson(response, 200, {
      resource: `${resource.origin}/mcp`,
      authorization_servers: [spoil.named ?? signIn.origin],
    })

  const guard: Answer = ({ headers }, response) => {
    const accessToken = headers.authorization?.replace('Bearer ', '') ?? ''
    if (access.has(accessToken) && spoil.accepts !== false) return false
    const where = spoil.described ?? `${resource.origin}/.well-known/oauth-protected-resource/mcp`
    return sendJson(response, 401, {}, { 'www-authenticate': `Bearer resource_metadata="${where}"` })
  }

  const signIn = await startFakeServer(
    () => spoil.silent === true,
    describeSignIn,
    register,
    authorize,
    token,
  )
  const resource: FakeServer = await startFakeServer(
    describeResource,
    guard,
    serveMcp({ whoami: answerText('you') }),
  )
  return {
    url: `${resource.origin}/mcp`,
    resource,
    signIn,
    counts,
    secrets,
    spoil,
    expire: () => access.clear(),
    revoke() {
      access.clear()
      refresh.clear()
    },
  }
}
