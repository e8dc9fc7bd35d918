import type { CallRow } from '@curfew/core'
import { cut } from '../../terminal.ts'
import type { Layout } from '../transcript/transcript.ts'
export function finishedCallLines(rows: readonly CallRow[], { width }: Layout): string[] {
  return rows.map((row) =>
    cut(`${row.status === 'success' ? '✓' : '✗'} ${row.name} ${row.args} ${row.code ?? ''}`, width),
  )
}
