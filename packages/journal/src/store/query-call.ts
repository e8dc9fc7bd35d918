import type { JournalCall } from './journal-call.ts'
import { readCalls } from './query-calls.ts'
import { numberIn, queryRows, textIn } from './read-columns.ts'
import { type ReadableJournal, withJournalFile } from './read-database.ts'
import { JournalRuns } from './read-runs.ts'

export interface FoundCall {
  readonly call: JournalCall
  /** The ids of the first calls inside it. */
  readonly children: readonly string[]
  readonly hasMoreChildren: boolean
}

/** Why there is no such call, for people. */
export interface MissingCall {
  readonly hint: string
}

const maxChildren = 100
/** Calls that a parent makes follow soon after it. */
const maxRowsAfterParent = 20_000
const maxRunNames = 10_000

/** Looks for a call in the files, in this order. Ids are unique on a machine, so the first one is the right one. */
export function queryCall(paths: readonly string[], id: string): FoundCall | MissingCall {
  const [, name, digits] = /^([a-z0-9]{1,32})-(\d{1,15})$/.exec(id.trim().toLowerCase()) ?? []
  if (name === undefined) return { hint: 'expected an id such as m4tq-17' }
  const number = Number(digits)
  const hints: string[] = []
  for (const path of paths) {
    const found = withJournalFile(path, (journal): FoundCall | MissingCall => {
      const run = new JournalRuns(journal).find(name)
      if (run === null) return { hint: similarId(journal, name, number) }
      return findIn(journal, run, number) ?? { hint: rangeOf(journal, run, name) }
    })
    if (found !== null && 'call' in found) return found
    hints.push(found?.hint ?? '')
  }
  return { hint: hints.find((hint) => hint !== '') ?? '' }
}

function findIn(journal: ReadableJournal, run: number, number: number): FoundCall | null {
  const [row] = queryRows(journal, 'SELECT id FROM calls WHERE run = ? AND number = ?', run, number)
  const id = row === undefined ? null : numberIn(row, 'id')
  const [call] = id === null ? [] : readCalls(journal, [id])
  if (call === undefined) return null
  const rows = queryRows(
    journal,
    `SELECT number FROM (
      SELECT number, parent FROM calls WHERE run = ? AND number > ? ORDER BY number LIMIT ${maxRowsAfterParent}
    ) WHERE parent = ? LIMIT ${maxChildren + 1}`,
    run,
    number,
    number,
  )
  const children = rows.map((child) => `${call.run.name}-${numberIn(child, 'number')}`)
  return {
    call,
    children: children.slice(0, maxChildren),
    hasMoreChildren: children.length > maxChildren,
  }
}

function rangeOf(journal: ReadableJournal, run: number, name: string): string {
  const [row = {}] = queryRows(
    journal,
    'SELECT min(number) AS first, max(number) AS last FROM calls WHERE run = ?',
    run,
  )
  const first = numberIn(row, 'first')
  const last = numberIn(row, 'last')
  if (first === null || last === null) return ''
  return first === last ? `there is only ${name}-${first}` : `there are ${name}-${first} to ${name}-${last}`
}

/** One character of the name was mistyped, and the call exists. */
function similarId(journal: ReadableJournal, name: string, number: number): string {
  const rows = queryRows(
    journal,
    `SELECT name FROM runs WHERE EXISTS (SELECT 1 FROM calls WHERE run = runs.id AND number = ?)
      ORDER BY id DESC LIMIT ${maxRunNames}`,
    number,
  )
  const similar = rows
    .map((row) => textIn(row, 'name') ?? '')
    .find((other) => other.length === name.length && differences(other, name) === 1)
  return similar === undefined ? '' : `did you mean ${similar}-${number}?`
}

function differences(a: string, b: string): number {
  return [...a].filter((character, index) => character !== b[index]).length
}
