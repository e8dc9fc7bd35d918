import { isKeyName, isKeyValue } from '../secret/looks-like-key.ts'

/** A key in a segment of a path: `bot` and `123:abc` in `/bot123:abc/`. */
export interface PathKey {
  readonly before: string
  /** `$NAME` if the command uses a variable; `null` if it has only a placeholder. */
  readonly value: string | null
  readonly after: string
}

/** Finds the key in one segment of a path: a known format, a random string, or a placeholder named after a key. */
export function keyInSegment(host: string, segments: readonly string[], index: number): PathKey | null {
  const segment = segments[index]!
  const [, before = '', variable, named, after = ''] =
    /^(.*?)(?:\$\{?([A-Za-z_]\w*)\}?|[<{]([\w-]+)[>}])(.*)$/.exec(segment) ?? []
  const placeholder = variable ?? named
  if (placeholder !== undefined)
    return isKeyPlaceholder(placeholder)
      ? { before, value: variable === undefined ? null : `$${variable}`, after }
      : null
  if (/^[A-Z][A-Z0-9_]+$/.test(segment) && isKeyPlaceholder(segment))
    return { before: '', value: null, after: '' }
  const [, telegram] = /^bot(\d+:[\w-]+)$/.exec(segment) ?? []
  if (telegram !== undefined) return { before: 'bot', value: telegram, after: '' }
  const isKey = isKeyValue(segment) || isWebhookKey(host, segments, index) || followsItsName(segments, index)
  return isKey ? { before: '', value: segment, after: '' } : null
}

/** `{token}` is a key, `{token_id}` is not. */
function isKeyPlaceholder(name: string): boolean {
  return isKeyName(name) && !/(?:^|[_-])id$|Id$/.test(name)
}

/** The last segment of a webhook (`/services/T.../B.../TOKEN`), or the one after its id (`/api/webhooks/ID/TOKEN/slack`). */
function isWebhookKey(host: string, segments: readonly string[], index: number): boolean {
  const followsId = /^\d+$/.test(segments[index - 1] ?? '') && /hook/i.test(segments[index - 2] ?? '')
  const isLast = followsId || segments.slice(index + 1).every((segment) => segment === '')
  const isHook = /^hooks?\./i.test(host) || segments.slice(0, index).some((segment) => /hook/i.test(segment))
  const segment = segments[index]!
  return (
    isLast && isHook && segment.length >= 8 && /[A-Za-z]/.test(segment) && /\d|[A-Z].*[A-Z]/.test(segment)
  )
}

/** `/with/key/abcdefgh`. */
function followsItsName(segments: readonly string[], index: number): boolean {
  return (
    /^(?:api[-_]?)?(?:key|token|secret)$/i.test(segments[index - 1] ?? '') && segments[index]!.length >= 8
  )
}
