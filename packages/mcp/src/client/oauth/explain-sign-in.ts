import { CurfewError } from '@curfew/core'
import {
  AuthorizationServerMismatchError,
  InsecureTokenEndpointError,
  IssuerMismatchError,
  OAuthError,
  RegistrationRejectedError,
} from '@modelcontextprotocol/client'
import { UpstreamError } from '../errors/upstream-error.ts'
import { displayUrl, findHttpError } from '../http/http-error.ts'
import type { OAuthProvider } from './oauth-provider.ts'

/** Explains why a sign-in failed and how to fix it. Never quotes the authorization server, except for error codes. */
export function explainSignIn(error: unknown, { serverName, url }: OAuthProvider): CurfewError {
  if (error instanceof CurfewError) return error
  const known = explainKnown(error)
  const httpError = known === null ? findHttpError(error, url) : null
  if (httpError !== null) return httpError
  const reason = `requires a sign-in, which failed for ${displayUrl(url)}: ${known ?? explainOther(error)}`
  return new UpstreamError('CREDENTIAL_REQUIRED', serverName, reason, { cause: error })
}

function explainKnown(error: unknown): string | null {
  if (IssuerMismatchError.isInstance(error) || AuthorizationServerMismatchError.isInstance(error)) {
    return 'the response comes from a different authorization server; this may be an attack, and nothing was sent to it'
  }
  if (InsecureTokenEndpointError.isInstance(error)) return 'its authorization server does not use https'
  if (RegistrationRejectedError.isInstance(error)) {
    return `its authorization server rejects client registration (${error.status}); set \`oauth.clientId\` in mcp.json`
  }
  if (OAuthError.isInstance(error)) return `its authorization server returned ${oneLine(String(error.code))}`
  return null
}

function explainOther(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  if (/does not support dynamic client registration/i.test(text)) {
    return 'its authorization server does not support client registration; set `oauth.clientId` in mcp.json'
  }
  return oneLine(text)
}

function oneLine(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ').slice(0, 200)
}
