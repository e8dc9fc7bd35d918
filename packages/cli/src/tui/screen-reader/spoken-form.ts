import { escapeInvisible } from '@curfew/core/internal'
import type { Key } from 'ink'
import { oneLine } from '../../terminal.ts'
import type { FormReaction, FormSnapshot, MenuEntry, QuestionForm } from '../questions/question-form.ts'

/** What can be answered at this step, as a list of words. */
export function describeForm(snapshot: FormSnapshot): string[] {
  switch (snapshot.kind) {
    case 'menu':
      return [
        ...(snapshot.note === '' ? [] : [oneLine(snapshot.note)]),
        ...snapshot.entries.map((entry, index) => describeEntry(entry, index)),
        `Type ${listOf(snapshot.entries.map(keyOf))} and press Enter.`,
      ]
    case 'rule':
      return [
        `Rule: ${escapeInvisible(snapshot.line.text)}`,
        snapshot.check.problem === '' ? `It allows ${snapshot.check.meaning}.` : snapshot.check.problem,
        'Press Enter to add this rule, type another one, or type "back".',
      ]
    case 'reason':
      return ['Type a reason for the model, or press Enter without one.']
    case 'text':
      return [snapshot.problem === '' ? 'Type the answer and press Enter.' : snapshot.problem]
    case 'secret':
      return [
        ...(snapshot.problem === '' ? [] : [snapshot.problem]),
        'Type the value, which is not shown, and press Enter. To decline, press Enter without one.',
      ]
  }
}

/** Enters a typed line into the form. `null` if it is none of the choices. */
export function answerForm(form: QuestionForm, typed: string): FormReaction | null {
  const { snapshot } = form
  const text = typed.trim()
  switch (snapshot.kind) {
    case 'menu':
      return chooseEntry(form, snapshot.entries, text)
    case 'rule':
      if (text.toLowerCase() === 'back') return form.handleKey('', { ...noKey, escape: true })
      if (text === '') return form.handleKey('\r', enter)
      form.handleKey('e', control)
      form.handleKey('u', control)
      form.insert(text)
      // A rule is added only after it was shown.
      return { kind: 'done' }
    case 'secret':
      if (text === '') return form.handleKey('', { ...noKey, escape: true })
      break
    case 'reason':
    case 'text':
      break
  }
  form.insert(snapshot.kind === 'secret' ? typed : text)
  return form.handleKey('\r', enter)
}

/** A letter, a number, or the words of an entry. */
function chooseEntry(form: QuestionForm, entries: readonly MenuEntry[], text: string): FormReaction | null {
  const wanted = text.toLowerCase()
  const isChosen = (entry: MenuEntry, index: number): boolean =>
    [keyOf(entry, index), entry.short, entry.label, entry.letter === 'y' ? 'yes' : ''].some(
      (name) => name !== '' && name.toLowerCase() === wanted,
    )
  const chosen = entries.findIndex(isChosen)
  if (wanted === '' || chosen < 0) return null
  for (let step = 0; step < entries.length; step++) form.handleKey('', { ...noKey, upArrow: true })
  for (let step = 0; step < chosen; step++) form.handleKey('', { ...noKey, downArrow: true })
  return form.handleKey('\r', enter)
}

function describeEntry(entry: MenuEntry, index: number): string {
  const detail = entry.detail === '' ? '' : `: ${escapeInvisible(entry.detail)}`
  return `${keyOf(entry, index)}: ${oneLine(entry.label)}${detail}`
}

function keyOf({ letter }: MenuEntry, index: number): string {
  return letter === '' ? String(index + 1) : letter
}

function listOf(keys: readonly string[]): string {
  if (keys.length > 9) return `a number from ${keys[0]} to ${keys.at(-1)}`
  return keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} or ${keys.at(-1)}`
}

// What Ink sets to false is not set.
const noKey = {} as Key
const enter: Key = { ...noKey, return: true }
const control: Key = { ...noKey, ctrl: true }
