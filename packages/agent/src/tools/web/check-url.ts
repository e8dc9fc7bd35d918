import { CurfewError } from '@curfew/core'

export const maxUrlLength = 4_096

/**
 * Parses a URL that is requested exactly as it is written. Otherwise a rule, or a person who approves the call, would see another address than
 * the one that is requested: `https://docs.example.com/a/%2e%2e/b` is `/b`, and `http://2130706433` is `127.0.0.1`.
 *
 * @throws CurfewError `INVALID_PARAMS`
 */
export function checkUrl(text: string): URL {
  if (text.length > maxUrlLength)
    throw invalid(`expected at most ${maxUrlLength} characters, got ${text.length}`)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !isWeb(url)) throw invalid('expected a URL that starts with http:// or https://')
  if (hasUserInfo(url)) throw invalid('expected no user name and password before the host; remove them')
  if (url.hostname.endsWith('.'))
    throw invalid(`expected a host without a trailing dot, got ${url.hostname}; remove the dot`)
  url.hash = ''
  const [written = ''] = text.split('#', 1)
  if (written !== url.href && written !== url.origin) throw invalid(`write it as ${url.href}`)
  return url
}

export function isWeb({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

export function hasUserInfo({ username, password }: URL): boolean {
  return username !== '' || password !== ''
}

function invalid(problem: string): CurfewError {
  return new CurfewError('INVALID_PARAMS', `url: ${problem}`, { field: 'params.url', hadNoEffect: true })
}
