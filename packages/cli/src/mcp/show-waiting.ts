import { styleText } from 'node:util'
import { changeLines, isCosmetic, newLines, type Upstream } from '@curfew/mcp'
import { hang } from '../terminal.ts'

type Waiting = Pick<Upstream['state'], 'changed' | 'added' | 'removed'>

/** Formats everything that waits for approval at a server, and which tools are gone, without invisible or control characters. */
export async function showWaiting(
  server: string,
  { changed, added, removed }: Waiting,
  columns: number | undefined,
): Promise<string> {
  const lead = styleText('bold', `${server}: `)
  const block = (what: string, name: string, lines: readonly string[]): string[] => [
    `${lead}${styleText('bold', `${what} ${plainName(name)}`)}`,
    ...lines.flatMap((line) => paint(line, columns)),
    '',
  ]
  const list = (what: string, names: readonly string[]): string[] =>
    names.length === 0 ? [] : hang(lead, `${what}: ${names.map(plainName).join(', ')}`, columns, 2)
  const blocks = await Promise.all([
    ...changed
      .filter((change) => !isCosmetic(change))
      .map(async (change) => block('changed', change.name, await changeLines(change))),
    ...added.map(async (tool) => block('new', tool.name, newLines(tool))),
  ])
  const reformatted = changed.filter(isCosmetic).map(({ name }) => name)
  const notes = [
    ...list('only spaces and line breaks differ', reformatted),
    ...list('no longer listed', removed),
  ]
  return [...blocks.flat(), ...notes, ...(notes.length === 0 ? [] : [''])].map((line) => `${line}\n`).join('')
}

function paint(line: string, columns: number | undefined): readonly string[] {
  const [lead = ''] = /^[-+ ] */.exec(line) ?? []
  const lines = hang(lead, line.slice(lead.length), columns)
  if (line.startsWith('+')) return lines.map((text) => styleText('green', text))
  return line.startsWith('-') ? lines.map((text) => styleText('red', text)) : lines
}

/** A letter of another alphabet can look like one of a known name, and so can a name that ends with a space. */
function plainName(name: string): string {
  if (/^[\w.()-]+$/.test(name)) return name
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(name).replace(/[^ -~]/g, escaped)
}
