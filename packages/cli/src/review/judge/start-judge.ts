import { clearLine, count, oneLine } from '../../terminal.ts'
import type { Baseline } from '../baseline.ts'
import { findingReporter, type ReportedSet } from '../review-source.ts'
import { type JudgedSets, judgeSets } from './judge-sets.ts'
import { openJudge } from './open-judge.ts'

/** Judges tools, and reports progress and problems on standard error. */
export type StartedJudge = (sets: readonly ReportedSet[], baseline: Baseline | null) => Promise<JudgedSets>

/** `--judge`. Rejects if the model cannot be opened. */
export async function startJudge(name: string): Promise<StartedJudge> {
  const judge = await openJudge(name)
  return async (sets, baseline) => {
    const isLive = process.stderr.isTTY
    for (const warning of judge.warnings) process.stderr.write(`${oneLine(warning)}\n`)
    const judged = await judgeSets(sets, {
      judge,
      report: findingReporter(baseline),
      onProgress: (done, total) => {
        if (isLive) process.stderr.write(`${clearLine}judged ${done} of ${count(total, 'tool')} …`)
      },
    })
    if (isLive) process.stderr.write(clearLine)
    for (const notice of judged.notices) process.stderr.write(`${oneLine(notice)}\n`)
    return judged
  }
}
