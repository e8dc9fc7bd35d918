import { attempt, parseJson } from '@curfew/core/internal'

const maxStarts = 20

/**
 * The JSON object in an answer of a model, which may be surrounded by text or a code fence: the last one that can be read; `null`
 * if there is none.
 */
export function jsonAnswer(answer: string): Readonly<Record<string, unknown>> | null {
  const fenced = [...answer.matchAll(/```[a-z]*\s*\n([\s\S]*?)```/gi)].map(([, block]) => block!)
  const end = answer.lastIndexOf('}') + 1
  // Where an object may start: at the beginning of a line, or anywhere.
  const starts = [...answer.matchAll(/^[ \t]*\{/gm)].slice(-maxStarts).map(({ index }) => index)
  const whole = [answer.indexOf('{'), ...starts.reverse()].map((start) => answer.slice(start, end))
  for (const candidate of [answer, ...fenced.reverse(), ...whole]) {
    const value = tryParse(candidate.trim())
    if (value !== null) return value
  }
  return null
}

function tryParse(text: string): Readonly<Record<string, unknown>> | null {
  if (!text.startsWith('{')) return null
  return attempt(() => parseJson(text) as Readonly<Record<string, unknown>>, null)
}

/** The strings of a list, without empty ones. */
export function stringsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(trimmed).filter((text) => text !== '') : []
}

/** A string without space around it; empty for anything else. */
export function trimmed(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
