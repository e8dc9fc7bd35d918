import type { CommandHost } from '@curfew/agent'
import { terminalWidth } from '../terminal.ts'
import type { WithServerTools } from '../tools/load-tools.ts'

/** `/review`: reviews the tools of the agent. Everything else, such as `--fix`, is for `curfew review` itself. */
export function reviewHost(tools: WithServerTools): NonNullable<CommandHost['review']> {
  return async (args) => {
    if (args.length > 0)
      return {
        type: 'error',
        message: `/review takes no arguments; run curfew review ${args.join(' ')} in a shell`,
      }
    const [{ sourceOf }, { reviewSource }, { textReport }] = await Promise.all([
      import('../review/configured-source.ts'),
      import('../review/review-source.ts'),
      import('../review/text-report.ts'),
    ])
    const { sets, problems } = await sourceOf(tools)
    const complete = problems.every(({ severity }) => severity === 'warning')
    const reviewed = reviewSource(sets, null)
    const report = { sets: reviewed, fixed: null, stale: null, complete, judge: null, comparison: null }
    const width = Math.max(40, Math.min(terminalWidth(process.stdout) ?? 80, 100))
    return { type: 'text', text: textReport(report, { width, colours: false, all: false, strict: false }) }
  }
}
