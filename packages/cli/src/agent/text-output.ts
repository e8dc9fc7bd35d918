import { unfinishedFrom } from '@curfew/core/internal'
import { neutralise } from '../neutralise.ts'
import { write } from '../write.ts'
import type { Activity } from './activity.ts'
import type { PromptOutput } from './prompt-output.ts'

/**
 * `--output text`. On a terminal, everything that the model writes appears as it arrives. Otherwise standard output gets only the
 * answer, because a program must not mistake the text before a call for it; that text is part of the activity.
 */
export function textOutput(activity: Activity, drain: () => Promise<void>): PromptOutput {
  const isLive = process.stdout.isTTY
  const filter = new TextFilter()
  let shown = ''
  const show = (text: string): void | Promise<void> => {
    if (text === '') return
    shown = text
    activity.isMidLine = isLive && !text.endsWith('\n')
    if (!write(text)) return drain()
  }
  const endLine = (): void | Promise<void> => {
    const rest = filter.end()
    const last = rest === '' ? shown : rest
    return show(last === '' || last.endsWith('\n') ? rest : `${rest}\n`)
  }
  return {
    text: (text) => (isLive ? show(filter.push(text)) : undefined),
    interim: (text) => (isLive ? endLine() : activity.line(`· ${text}`)),
    end({ text }) {
      if (isLive && shown !== '') return endLine()
      const safe = neutralise(text)
      return show(safe === '' || safe.endsWith('\n') ? safe : `${safe}\n`)
    },
  }
}

/** Removes control sequences from text that arrives in pieces, also those that are split. */
export class TextFilter {
  #held = ''
  #before = ''

  /** What can be shown now. */
  push(text: string): string {
    const all = this.#held + text
    const cutAt = endOfComplete(all)
    this.#held = all.slice(cutAt)
    return this.#neutralise(all.slice(0, cutAt))
  }

  /** The rest. */
  end(): string {
    const rest = this.#neutralise(this.#held)
    this.#held = ''
    return rest
  }

  #neutralise(text: string): string {
    const before = this.#before
    if (text !== '') this.#before = lastCharacter(text)
    return neutralise(before + text).slice(before.length)
  }
}

/** A visible character that a joiner or a variation selector may follow; empty if the text ends otherwise. */
function lastCharacter(text: string): string {
  const end = text.slice(-4)
  const found = /(?:\p{Emoji}\ufe0f|(?!\ufe0f)[\p{L}\p{M}\p{Emoji}])$/u.exec(end)?.[0] ?? ''
  return neutralise(found) === found ? found : ''
}

/** A carriage return may be followed by a line feed, and half a character by its other half. */
function endOfComplete(text: string): number {
  const at = unfinishedFrom(text)
  return /[\r\ud800-\udbff]$/.test(text.slice(0, at)) ? at - 1 : at
}
