import { widthOf } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import type { CallMark } from './call-status.ts'
import { fitLine, joinPieces, type Piece } from './fit-line.ts'
import type { ShortArguments } from './short-arguments.ts'

type DetailKey = 'state' | 'time' | 'progress' | 'inside' | 'lines' | 'quiet'

/** Something about a call, in the words that are shown if there is room, and in fewer. */
export interface Detail {
  readonly key: DetailKey
  readonly variants: readonly (readonly Piece[])[]
}

export interface Head {
  readonly mark: CallMark
  readonly name: string
  readonly args: ShortArguments
  readonly details: readonly Detail[]
  /** The details end at the right edge. */
  readonly isSpread?: boolean | undefined
}

/** What is shortened, and at last left out, if the line is too narrow. Of the time, the bar goes first. */
const steps: readonly (DetailKey | 'arguments' | 'name')[] = [
  'time',
  'progress',
  'arguments',
  'lines',
  'inside',
  'progress',
  'quiet',
  'state',
  'time',
  'quiet',
  'state',
  'name',
  'time',
  'state',
]
/** The columns that the arguments should have at least. */
const comfortableArguments = 16
const minArguments = 10
const minName = 6
const minSeparated = 40

/** `⠹ run_command npm test · 12 s of 2 min ███░░░░░░░ · 120 lines`, in at most `width` columns. */
export function headLine(
  { mark, name, args, details, isSpread = false }: Head,
  width: number,
  theme: Theme,
): string {
  const separator: Piece = { text: width < minSeparated ? ' ' : ' · ', style: theme.muted }
  let shownName = fitLine(name, Math.max(12, Math.floor(width / 2)))
  const fullArguments = widthOf(args.main) + (args.rest === '' ? 0 : 1 + widthOf(args.rest))
  let wanted = Math.min(fullArguments, comfortableArguments)
  const levels = new Map<DetailKey, number>()
  const shown = (): (readonly Piece[])[] =>
    details
      .map(({ key, variants }) => variants[levels.get(key) ?? 0] ?? [])
      .filter((pieces) => pieces.length > 0)
  const markColumns = widthOf(mark.mark) + 1
  const base = (): number => markColumns + widthOf(shownName)
  const detailColumns = (): number =>
    shown().reduce((sum, pieces) => sum + separator.text.length + columnsOf(pieces), 0)
  for (const step of steps) {
    if (base() + (wanted === 0 ? 0 : 1 + wanted) + detailColumns() <= width) break
    if (step === 'arguments') wanted = 0
    else if (step === 'name')
      shownName = fitLine(shownName, Math.max(minName, width - markColumns - detailColumns()))
    else levels.set(step, (levels.get(step) ?? 0) + 1)
    wanted = Math.min(wanted, minArguments)
  }
  const room = wanted === 0 ? 0 : width - base() - 1 - detailColumns()
  const left: Piece[] = [
    { text: mark.mark, style: theme[mark.role] },
    { text: ' ', style: asIs },
    { text: shownName, style: theme.strong },
    ...argumentPieces(args, room, theme),
  ]
  const space: Piece = { text: ' '.repeat(separator.text.length), style: asIs }
  const right = shown().flatMap((detail, index) => [isSpread && index === 0 ? space : separator, ...detail])
  const gap = isSpread ? Math.max(0, width - columnsOf(left) - columnsOf(right)) : 0
  return joinPieces([...left, { text: ' '.repeat(gap), style: asIs }, ...right], width)
}

function argumentPieces({ main, rest }: ShortArguments, room: number, theme: Theme): Piece[] {
  if (room <= 0 || main === '') return []
  const shown = fitLine(main, room)
  const left = room - widthOf(shown) - 1
  const pieces: Piece[] = [{ text: ` ${shown}`, style: asIs }]
  if (rest !== '' && left >= Math.min(minArguments, widthOf(rest)))
    pieces.push({ text: ` ${fitLine(rest, left)}`, style: theme.muted })
  return pieces
}

export const asIs = (text: string): string => text

function columnsOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { text }) => sum + widthOf(text), 0)
}
