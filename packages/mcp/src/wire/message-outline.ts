import { endOfString, maxJsonDepth } from '@curfew/core/internal'
import type { RequestId } from '@modelcontextprotocol/client'
import type { InvalidMessage } from './read-message.ts'

/** What can be told of a message that is not parsed. */
type Outline = Pick<InvalidMessage, 'kind' | 'id' | 'problem'>

/** Longer ones are not repeated: they would fill logs and maps. */
const maxIdLength = 1_000
/** Of a member as it is written: an id of that many characters, all of them escaped. */
const maxMemberLength = 6 * maxIdLength + 2

/**
 * What a message seems to be, for one that is broken, too deep, or so large that only its ends were kept: enough to tell
 * its sender, or to end the request that it answers. It looks at the members of the outermost object only.
 */
export function outlineOf(head: string, tail?: string): Outline {
  const { members, deepest } = outermostMembers(head)
  if (tail !== undefined) addLastMember(members, tail)
  const id = parseId(members.get('id'))
  const kind = kindOf({
    isVersion2: members.get('jsonrpc') === '"2.0"',
    hasMethod: members.get('method')?.startsWith('"') === true,
    hasId: members.has('id'),
    isAnswer: members.has('result') || members.has('error'),
  })
  const isDeep = deepest > maxJsonDepth
  return {
    kind,
    id,
    problem: isDeep ? `it is nested more than ${maxJsonDepth} levels deep` : 'it is not JSON',
  }
}

/** An answer needs the version: servers print logs that have an id and an error, too. */
export function kindOf(seen: {
  readonly isVersion2: boolean
  readonly hasMethod: boolean
  readonly hasId: boolean
  readonly isAnswer: boolean
}): InvalidMessage['kind'] {
  if (seen.hasMethod) return seen.hasId ? 'request' : 'notification'
  return seen.isVersion2 && (seen.hasId || seen.isAnswer) ? 'response' : 'none'
}

/** `null` if it cannot be the id of anything. */
export function asId(value: unknown): RequestId | null {
  if (typeof value === 'string') return value.length <= maxIdLength ? value : null
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : null
}

function parseId(json: string | undefined): RequestId | null {
  try {
    return json === undefined ? null : asId(JSON.parse(json))
  } catch {
    return null
  }
}

/**
 * The members of the outermost object, as they are written; of an object or an array only its bracket. As in
 * `JSON.parse`, the last of several members with one name counts. What is not JSON is skipped.
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
        const written = json.slice(at, Math.min(end, at + maxMemberLength))
        if (key === null) key = written.slice(1, -1)
        else members.set(key, written)
      }
      at = end - 1
    }
  }
  return { members, deepest }
}

/** Of a message that was cut, the last member is the only other one that is there whole. */
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
