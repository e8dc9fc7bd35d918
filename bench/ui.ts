import type { Findings } from './report.ts'
import { measureChunks } from './ui/chunks.ts'
import { measureTerminal } from './ui/terminal.ts'

/** What a person sees of running calls. Each part is measured on its own, one after the other. */
const parts: readonly (() => Promise<Findings>)[] = [measureChunks, measureTerminal]

export async function measureUi(): Promise<Findings> {
  const findings: Findings[] = []
  for (const measure of parts) findings.push(await measure())
  return {
    targets: findings.flatMap(({ targets }) => targets),
    information: findings.flatMap(({ information }) => information),
    tables: findings.flatMap(({ tables = [] }) => tables),
    notes: findings.flatMap(({ notes = [] }) => notes),
  }
}
