import type { ApprovalQuestion } from '../call/question.ts'
import { plainData } from '../errors/plain-data.ts'
import { splitAtPadding } from '../text/collapse-padding.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'

/** Arguments up to this length are part of the question's first line. */
const lineLength = 200
/** Maximum lengths of a string, tried in order until the message is short enough. */
const stringLimits = [4_000, 1_000, 200, 40]
/** Maximum length of the message: clients of the gateway show it in a dialog. */
const messageLength = 16_000
/** Maximum length of an argument's JSON if all other limits are exceeded. */
const jsonLimit = 80
/** Maximum number of items and fields, unless the limit of a string is longer than all of these. */
const maxItems = 100
const maxDepth = 8
/** Arguments that are shown first, and completely if possible: what runs matters more than its options. */
const commandKeys = [
  'command_args',
  'command',
  'cmd',
  'argv',
  'args',
  'script',
  'code',
  'query',
  'url',
  'path',
]

/**
 * The question that asks a person to approve a call. Each argument is shown completely, or with its beginning, end and
 * length, and long runs of blanks as their length; these markers are outside of quotes, where no argument can fake them.
 */
export function approvalMessage(
  tool: string,
  params: unknown,
  restriction?: string,
  maxLength: number = messageLength,
): string {
  const message = callMessage(tool, params, maxLength)
  return restriction === undefined ? message : `${message}\n${escapeInvisible(restriction)}`
}

function callMessage(tool: string, params: unknown, maxLength: number): string {
  const fields = orderedFields(asJson(params))
  if (fields.length === 0) return `Allow ${tool}?`
  const line = `{${fields.map(([key, value]) => `${quote(key)}:${show(value, lineLength + 1, 1, ',', ':')}`).join(',')}}`
  if (line.length <= lineLength) return `Allow ${tool} with ${line}?`
  // What runs is shown completely if that is possible.
  const limits: readonly (readonly [number, number])[] = [
    [maxLength, 4_000],
    [maxLength, 200],
    ...stringLimits.map((limit) => [limit, limit] as const),
  ]
  for (const [commandLimit, limit] of limits) {
    const text = multiline(
      tool,
      fields,
      (value, key) => show(value, commandKeys.includes(key.toLowerCase()) ? commandLimit : limit, 1),
      commandLimit,
    )
    if (text.length <= maxLength) return text
  }
  return multiline(tool, fields, (value) => cutText(JSON.stringify(value), jsonLimit, quote), jsonLimit)
}

/** The question with its preview, for displays that escape tabs. */
export function approvalText({ message, preview }: Pick<ApprovalQuestion, 'message' | 'preview'>): string {
  return preview === null ? message : `${message}\n\n${preview.replaceAll('\t', '    ')}`
}

/** A schema may have converted an argument to an object such as a Date, which would otherwise be shown as `{}`. */
function asJson(params: unknown): unknown {
  try {
    const json = JSON.stringify(params, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    )
    return json === undefined ? undefined : JSON.parse(json)
  } catch {
    return plainData(params)
  }
}

function multiline(
  tool: string,
  fields: readonly [string, unknown][],
  showValue: (value: unknown, key: string) => string,
  limit: number,
): string {
  const lines = cutList(fields, limit, ([key, value]) => `  ${showKey(key)}: ${showValue(value, key)}`)
  return `Allow ${tool}? Its arguments:\n${lines.join('\n')}`
}

function orderedFields(params: unknown): [string, unknown][] {
  if (typeof params !== 'object' || params === null) return params === undefined ? [] : [['value', params]]
  const rank = ([key]: [string, unknown]): number => {
    const index = commandKeys.indexOf(key.toLowerCase())
    return index < 0 ? commandKeys.length : index
  }
  return Object.entries(params).sort((a, b) => rank(a) - rank(b))
}

function show(value: unknown, limit: number, depth: number, comma = ', ', colon = ': '): string {
  if (typeof value === 'string') return cutText(value, limit, quote)
  if (typeof value !== 'object' || value === null) return escapeInvisible(String(value))
  if (depth > maxDepth) return cutText(JSON.stringify(value), limit, quote)
  const inside = (item: unknown): string => show(item, limit, depth + 1, comma, colon)
  if (Array.isArray(value)) return `[${cutList(value, limit, inside).join(comma)}]`
  const entries = cutList(
    Object.entries(value),
    limit,
    ([key, item]) => `${quote(key)}${colon}${inside(item)}`,
  )
  return `{${entries.join(comma)}}`
}

/** The beginning and end of a long list. */
function cutList<T>(items: readonly T[], limit: number, format: (item: T) => string): string[] {
  if (items.length <= (limit > Math.max(...stringLimits) ? limit : maxItems)) return items.map(format)
  const half = maxItems / 2
  const omitted = `[… ${items.length - maxItems} of ${items.length} not shown …]`
  return [...items.slice(0, half).map(format), omitted, ...items.slice(-half).map(format)]
}

/** The beginning and end of a long string, each formatted with `format`. */
function cutText(text: string, limit: number, format: (part: string) => string): string {
  if (splitAtPadding(text).join('').length <= limit) return format(text)
  const half = Math.floor(limit / 2)
  const omitted = `[… ${text.length - 2 * half} of ${text.length} characters not shown …]`
  return `${format(text.slice(0, half))} ${omitted} ${format(text.slice(-half))}`
}

function showKey(key: string): string {
  return /^[\w.-]{1,80}$/.test(key) ? key : cutText(key, 80, quote)
}

function quote(text: string): string {
  const parts = splitAtPadding(text)
  return parts
    .map((part, index) => (index % 2 === 0 ? escapeInvisible(JSON.stringify(part)) : part))
    .filter((part) => part !== '""' || parts.length === 1)
    .join(' ')
}
