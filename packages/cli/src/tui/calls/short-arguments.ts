import { escapeInvisible } from '@curfew/core/internal'
import { visibleName } from './printable-text.ts'

/** The arguments of a call, as short as a row needs them. */
export interface ShortArguments {
  /** The argument that says what the call does, such as a command or a path. */
  readonly main: string
  /** The other short ones: `depth=3, glob="*.ts"`. */
  readonly rest: string
}

/** The first one that a call has is shown without its name. */
const mainKeys = 'command url pattern query task prompt question path file_path name'.split(' ')
/** Whole documents say nothing in half a line. */
const longKeys = new Set(['content', 'edits', 'instructions'])
const maxRestLength = 32

/** Shortens the arguments of a row (`path="src/a.ts", depth=3`) further. */
export function shortArguments(args: string): ShortArguments {
  const parsed = parseArguments(args)
  if (parsed === null) return { main: visibleName(args), rest: '' }
  const mainKey = mainKeys.find((key) => parsed.some((argument) => argument.key === key))
  const main = parsed.length === 1 ? parsed[0] : parsed.find(({ key }) => key === mainKey)
  const rest = parsed.filter(
    (argument) => argument !== main && !longKeys.has(argument.key) && argument.value.length <= maxRestLength,
  )
  const restText = rest.map(({ key, value }) => `${key}=${value}`).join(', ')
  if (main === undefined) return { main: visibleName(restText), rest: '' }
  return { main: readable(main), rest: visibleName(restText) }
}

interface Argument {
  readonly key: string
  /** As in the row: JSON, or a placeholder for an object or an array. */
  readonly value: string
}

/** A key, and a string in quotes or anything else up to a comma. */
const argument = /([^=,\s"]+)=("(?:[^"\\]|\\.)*"|[^",]*)(?:, |$)/y

/** `null` if it is not a list of arguments. */
function parseArguments(args: string): Argument[] | null {
  const parsed: Argument[] = []
  argument.lastIndex = 0
  for (let at = 0; at < args.length; at = argument.lastIndex) {
    const found = argument.exec(args)
    // A row cuts long lists in the middle of an argument.
    if (found === null) return args.endsWith('…') && parsed.length > 0 ? parsed : null
    parsed.push({ key: found[1]!, value: found[2]! })
  }
  return parsed
}

/** A string without quotes and escapes, except for what would be invisible. */
function readable({ key, value }: Argument): string {
  if (!value.startsWith('"')) return visibleName(`${key}=${value}`)
  try {
    return escapeInvisible(JSON.parse(value) as string).replace(/\s*\n\s*/g, ' ↵ ')
  } catch {
    return visibleName(value)
  }
}
