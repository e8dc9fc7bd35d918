import type { Machine } from './machine.ts'

export interface Figure {
  readonly name: string
  readonly figure: number
  readonly unit: string
}

export type Target = Figure & ({ readonly atMost: number } | { readonly atLeast: number })

/** The first column names the rows. */
export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** The results of a bench. */
export interface Findings {
  readonly targets: readonly Target[]
  /** Figures without a target. */
  readonly information: readonly Figure[]
  readonly tables?: readonly Table[]
  /** Such as skipped parts with the reason, or versions of other programs. */
  readonly notes?: readonly string[]
}

export interface Report extends Findings {
  readonly bench: string
  readonly machine: Machine
  readonly versions: Readonly<Record<string, string>>
  readonly loadAfter: number
}

export function isMet(target: Target): boolean {
  return 'atMost' in target ? target.figure <= target.atMost : target.figure >= target.atLeast
}

export function toJson(report: Report): string {
  const targets = report.targets.map((target) => ({ ...target, met: isMet(target) }))
  return `${JSON.stringify({ ...report, targets, met: report.targets.every(isMet) })}\n`
}

export function toText(report: Report): string {
  const { bench, machine, versions, loadAfter, targets, information, tables = [], notes = [] } = report
  const { cpu, cores, node, load } = machine
  const header = [
    `${bench}: ${cpu}, ${cores} cores, Node ${node}`,
    Object.entries(versions)
      .map(([name, version]) => `${name} ${version}`)
      .join(', '),
    `load average ${load.toFixed(2)} before, ${loadAfter.toFixed(2)} after`,
    ...notes,
  ]
  const shown = tables.map(({ title, head, rows }) => `${title}\n${table([head, ...rows])}`)
  const targetRows = targets.map((target) => [
    target.name,
    quantity(target.figure, target.unit),
    'atMost' in target ? `at most ${target.atMost}` : `at least ${target.atLeast}`,
    isMet(target) ? 'met' : 'MISSED',
  ])
  const informationRows = information.map(({ name, figure, unit }) => [name, quantity(figure, unit)])
  return [
    header.join('\n'),
    ...shown,
    table(targetRows),
    ...(informationRows.length > 0 ? [table(informationRows)] : []),
  ]
    .join('\n\n')
    .concat('\n')
}

function quantity(figure: number, unit: string): string {
  const digits = Number.isInteger(figure) || Math.abs(figure) >= 1_000 ? 0 : Math.abs(figure) >= 10 ? 1 : 2
  return `${figure.toFixed(digits)} ${unit}`.trimEnd()
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
