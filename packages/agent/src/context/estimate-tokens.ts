import type { ResultPart, ToolView } from '@curfew/core'
import type { AssistantPart, HistoryItem, HistoryResult, UserPart } from '../history/history-item.ts'

const bytesPerToken = 4
/** The lowest plausible share of an estimate: no text has more than 16 bytes per token on average. */
export const minShare = 0.25
/** Of a message, a call or a result, besides its content. */
const overhead = 4
/** What an image costs at most, whatever its size in bytes. */
const minFileTokens = 1_500
/** Documents and recordings cost more the longer they are. */
const fileBytesPerToken = 100

/** No tokeniser: every provider has its own, and the usage that it reports corrects the estimate. */
export function estimateText(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / bytesPerToken)
}

export function estimateItems(items: readonly HistoryItem[]): number {
  return items.reduce((sum, item) => sum + estimateItem(item), 0)
}

export function estimateItem(item: HistoryItem): number {
  switch (item.type) {
    case 'user':
      return overhead + sum(item.parts, estimateUserPart)
    case 'assistant':
      return estimateParts(item.parts)
    case 'results':
      return sum(item.results, estimateResult)
  }
}

/** The fewest tokens that any tokeniser makes of a request. What files cost differs too much to count. */
export function minTokens(request: unknown): number {
  const text = JSON.stringify(request, (key, value) => (key === 'data' ? undefined : value))
  return estimateText(text) * minShare
}

/** Of a model's response. */
export function estimateParts(parts: readonly AssistantPart[]): number {
  return overhead + sum(parts, estimateAssistantPart)
}

export function estimateResult({ content, parts = [] }: Pick<HistoryResult, 'content' | 'parts'>): number {
  return overhead + estimateText(content) + sum(parts, estimateResultPart)
}

export function estimateTools(tools: readonly ToolView[]): number {
  return sum(
    tools,
    ({ name, description = '', parameters }) =>
      overhead + estimateText(name + description) + estimateJson(parameters),
  )
}

function estimateUserPart(part: UserPart): number {
  if (part.type === 'text') return estimateText(part.text)
  return /^text\//i.test(part.mediaType) ? byteLength(part.data) / bytesPerToken : estimateFile(part.data)
}

/** Reasoning counts as nothing: most providers ignore that of earlier turns, and report what they do not ignore. */
function estimateAssistantPart(part: AssistantPart): number {
  if (part.type !== 'call') return part.type === 'text' ? estimateText(part.text) : 0
  return overhead + estimateText(part.name) + estimateJson(part.input)
}

/** The text of a result is in its content. */
function estimateResultPart(part: ResultPart): number {
  return part.type === 'text' || part.data === undefined ? 0 : estimateFile(part.data)
}

function estimateFile(data: string): number {
  return Math.max(minFileTokens, byteLength(data) / fileBytesPerToken)
}

function estimateJson(value: unknown): number {
  return estimateText(JSON.stringify(value) ?? '')
}

function byteLength(base64: string): number {
  return Math.ceil((base64.length * 3) / 4)
}

function sum<T>(values: readonly T[], estimate: (value: T) => number): number {
  return values.reduce((total, value) => total + estimate(value), 0)
}
