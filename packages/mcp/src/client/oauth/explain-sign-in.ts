import { CurfewError } from '@curfew/core'
import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { displayUrl, findHttpError } from '../http/http-error.ts'
import type { OAuthProvider } from './oauth-provider.ts'

/** What went wrong in a sign-in, and what to do. Never what the other side wrote, unless it is a plain code. */
export function explainSignIn(error: unknown, { serverName, url }: OAuthProvider): CurfewError {
  if (error instanceof CurfewError) return error
  const words = wordsFor(error)
  if (words === null) {
    const problem = findHttpError(error, url)
    if (problem !== null) return problem
  }
  const message = `${serverName}: signing in to ${displayUrl(url)} failed: ${words ?? plain(error)}`
  return new CurfewError('CREDENTIAL_REQUIRED', message, { cause: error })
}

function wordsFor(error: unknown): string | null {
  if (IssuerMismatchError.isInstance(error) || AuthorizationServerMismatchError.isInstance(error)) {
    return 'the answer comes from another sign-in server than the one that was asked; this may be an attack, and nothing was sent to it'
  }
  if (InsecureTokenEndpointError.isInstance(error)) return 'its sign-in server is not reached over https'
  if (RegistrationRejectedError.isInstance(error)) {
    return `its sign-in server does not let new clients register (${error.status}); set \`oauth.clientId\` in mcp.json`
  }
  if (OAuthError.isInstance(error)) return `its sign-in server says ${oneLine(String(error.code))}`
  return null
}

function plain(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (/does not support dynamic client registration/i.test(text)) {
    return 'its sign-in server does not register clients; set `oauth.clientId` in mcp.json'
  }
  return oneLine(text)
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 200)
}
