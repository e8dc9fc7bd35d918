export interface DiffLine {
  /** `skipped` stands for any number of lines that are the same. */
  readonly kind: 'same' | 'added' | 'removed' | 'skipped'
  readonly text: string
}

/** So many lines around a change are shown. */
const context = 3
/** Beyond that, finding the shortest difference would take too long. */
const mostCells = 4_000_000

/** What has to be taken out of and put into the first text to get the second, with some lines around. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return shorten([
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ])
}

/** By the longest common subsequence. */
function diffMiddle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: 'removed', text })
  const added = (text: string): DiffLine => ({ kind: 'added', text })
  const width = after.length + 1
  if (before.length * width > mostCells) return [...before.map(removed), ...after.map(added)]
  // How many lines the ends from here on have in common.
  const common = new Uint32Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] =
        before[i] === after[j]
          ? common[(i + 1) * width + j + 1]! + 1
          : Math.max(common[(i + 1) * width + j]!, common[i * width + j + 1]!)
    }
  }
  const lines: DiffLine[] = []
  let i = 0
  let j = 0
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ kind: 'same', text: before[i++]! })
      j++
    } else if (common[(i + 1) * width + j]! >= common[i * width + j + 1]!) lines.push(removed(before[i++]!))
    else lines.push(added(after[j++]!))
  }
  return [...lines, ...before.slice(i).map(removed), ...after.slice(j).map(added)]
}

function shorten(lines: readonly DiffLine[]): readonly DiffLine[] {
  const near = new Set<number>()
  for (const [index, { kind }] of lines.entries()) {
    if (kind !== 'same') for (let at = index - context; at <= index + context; at++) near.add(at)
  }
  const kept: DiffLine[] = []
  for (const [index, line] of lines.entries()) {
    if (near.has(index)) kept.push(line)
    else if (kept.at(-1)?.kind !== 'skipped') kept.push({ kind: 'skipped', text: '' })
  }
  return kept
}
