import { allCases } from '../cases/all-cases.ts'
import { groups } from '../cases/torture-case.ts'
import type { Cell, SuiteReport } from '../suite/run-suite.ts'
import { countVerdicts } from './to-text.ts'

const marks = { pass: 'pass', fail: '**fail**', 'n/a': 'n/a', flaky: 'flaky' } as const

/** A table of all cases and products, with the reason for each cell that did not pass. */
export function toMarkdown(reports: readonly SuiteReport[]): string {
  const [first] = reports
  if (first === undefined) return ''
  return [
    ...reports.map((report) => `- **${titleOf(report)}** ${report.version}: ${countVerdicts(report.cells)}`),
    '',
    `Measured with tool-torture ${first.suiteVersion} on ${machineOf(first)}.`,
    ...groups.flatMap((group) => toTable(group, reports)),
    ...toReasons(reports),
    '',
  ].join('\n')
}

function titleOf({ product, settings }: SuiteReport): string {
  return `${product}, ${settings}`
}

function machineOf({ machine, date }: SuiteReport): string {
  const { system, kernel, node, cores, memoryGb, cgroup2, root } = machine
  const rights = `${root ? 'as root' : 'as an ordinary user'}, ${cgroup2 ? 'with' : 'without'} cgroup v2`
  return `${system}, kernel ${kernel}, Node ${node}, ${cores} cores, ${memoryGb} GB, ${rights}, ${date.slice(0, 10)}`
}

function cellOf({ cells }: SuiteReport, id: string): Cell | undefined {
  return cells.find((cell) => cell.id === id)
}

function toTable(group: string, reports: readonly SuiteReport[]): string[] {
  const cases = allCases.filter(
    (one) => one.group === group && reports.some((report) => cellOf(report, one.id)),
  )
  if (cases.length === 0) return []
  return [
    '',
    `## ${group}`,
    '',
    `| case | who is hurt | ${reports.map(titleOf).join(' | ')} |`,
    `| --- | --- | ${reports.map(() => '---').join(' | ')} |`,
    ...cases.map(({ id, hurts, issues }) => {
      const cells = reports.map((report) => marks[cellOf(report, id)?.verdict ?? 'n/a'])
      const reported = issues.length === 0 ? '' : ` (${issues.join(', ')})`
      return `| \`${id.split('/')[1]}\` | ${hurts}${reported} | ${cells.join(' | ')} |`
    }),
  ]
}

function toReasons(reports: readonly SuiteReport[]): string[] {
  return reports.flatMap((report) => {
    const failed = report.cells.filter(({ verdict }) => verdict === 'fail' || verdict === 'flaky')
    const missing = new Map<string, string[]>()
    for (const { id, reason } of report.cells.filter(({ verdict }) => verdict === 'n/a'))
      missing.set(reason, [...(missing.get(reason) ?? []), id])
    return [
      '',
      `## ${titleOf(report)}: failures and what does not apply`,
      '',
      ...failed.map(
        ({ id, verdict, reason }) =>
          `- \`${id}\`${verdict === 'flaky' ? ' (flaky)' : ''}: ${escapeCell(reason)}`,
      ),
      ...[...missing].map(
        ([reason, ids]) => `- n/a, ${escapeCell(reason)}: ${ids.map((id) => `\`${id}\``).join(', ')}`,
      ),
      '',
      `Repeat a cell: \`npx tool-torture --adapter ADAPTER --settings ${report.settings} --only '^CASE$'\``,
    ]
  })
}

function escapeCell(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('|', '\\|')
    .replaceAll('<', '&lt;')
}
