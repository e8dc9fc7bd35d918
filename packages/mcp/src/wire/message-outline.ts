import { attempt, endOfString, maxJsonDepth } from '@curfew/core/internal'
import type { RequestId } from '@modelcontextprotocol/client'
import type { InvalidMessage } from './read-message.ts'

/** What is known about a message without parsing it. */
type Outline = Pick<InvalidMessage, 'kind' | 'id' | 'problem'>

/** Longer ids are ignored: they would fill logs and maps. */
const maxIdLength = 1_000
/** The serialized length of an id of that many characters, all of them escaped. */
const maxMemberLength = 6 * maxIdLength + 2

/**
 * Classifies a message that is broken, too deep, or so large that only its ends were kept, so that its sender gets an error or its
 * request fails. Only the members of the outermost object are read.
 */
export function outlineOf(head: string, tail?: string): Outline {
  const { members, deepest } = outermostMembers(head)
  if (tail !== undefined) addLastMember(members, tail)
  const id = parseId(members.get('id'))
  const kind = kindOf({
    isVersion2: members.get('jsonrpc') === '"2.0"',
    hasMethod: members.get('method')?.startsWith('"') === true,
    hasId: members.has('id'),
    isResponse: members.has('result') || members.has('error'),
  })
  const isDeep = deepest > maxJsonDepth
  return {
    kind,
    id,
    problem: isDeep ? `it is nested more than ${maxJsonDepth} levels deep` : 'it is not JSON',
  }
}

/** A response requires the version: servers also print logs with an id and an error. */
export function kindOf(seen: {
  readonly isVersion2: boolean
  readonly hasMethod: boolean
  readonly hasId: boolean
  readonly isResponse: boolean
}): InvalidMessage['kind'] {
  if (seen.hasMethod) return seen.hasId ? 'request' : 'notification'
  return seen.isVersion2 && (seen.hasId || seen.isResponse) ? 'response' : 'none'
}

/** `null` if it is not a valid id. */
export function asId(value: unknown): RequestId | null {
  if (typeof value === 'string') return value.length <= maxIdLength ? value : null
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function parseId(json: string | undefined): RequestId | null {
  return attempt(() => (json === undefined ? null : asId(JSON.parse(json))), null)
}

/**
 * The members of the outermost object in their serialized form; of an object or an array only the bracket. As in `JSON.parse`, the
 * last of several members with the same name counts. Anything that is not JSON is skipped.
 */
function outermostMembers(json: string): { members: Map<string, string>; deepest: number } {
  const members = new Map<string, string>()
  let depth = 0
  let deepest = 0
  let key: string | null = null
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!
    const isOpening = char === '{' || char === '['
    if (isOpening || char === '}' || char === ']') {
      if (isOpening && depth === 1 && key !== null) members.set(key, char)
      depth += isOpening ? 1 : -1
      deepest = Math.max(deepest, depth)
    } else if (char === ',') {
      if (depth === 1) key = null
    } else if (char === '"' || /[\w-]/.test(char)) {
      const end = char === '"' ? endOfString(json, at) : endOfWord(json, at)
      if (depth === 1) {
        const raw = json.slice(at, Math.min(end, at + maxMemberLength))
        if (key === null) key = raw.slice(1, -1)
        else members.set(key, raw)
      }
      at = end - 1
    }
  }
  return { members, deepest }
}

/** Of a message that was cut, the last member is the only other complete one. */
function addLastMember(members: Map<string, string>, tail: string): void {
  const found = /"(id|method)"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d+)\s*}\s*$/.exec(tail)
  if (found !== null) members.set(found[1]!, found[2]!)
}

/** A number, or a word such as `null`. */
function endOfWord(json: string, start: number): number {
  const word = /[\w.+-]+/y
  word.lastIndex = start
  word.exec(json)
  return Math.max(word.lastIndex, start + 1)
}
