import type { Agent, CommandHost } from '@curfew/agent'
import type { ModelSettings } from '@curfew/extensions'
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

/** `/compact`: replaces the older part of the conversation with a summary. */
export function compactHost(agent: Agent): NonNullable<CommandHost['compact']> {
  return async (instructions, signal) => {
    const notice = await agent.compact(instructions, { signal })
    return { type: 'text', text: notice?.message ?? 'There is nothing to summarize yet.' }
  }
}

/** `/init`: as `curfew init`. */
export const initHost: NonNullable<CommandHost['init']> = async (args) => {
  const isForUser = args.includes('--user')
  const [unknown] = args.filter((arg) => arg !== (isForUser ? '--user' : '--project'))
  if (unknown !== undefined)
    return { type: 'error', message: `/init: expected --project or --user, got ${JSON.stringify(unknown)}` }
  const { createConfig } = await import('../init/run-init.ts')
  return { type: 'text', text: await createConfig(isForUser, '/init') }
}

/** `/model`: shows the configured models, and switches to another one. */
export function modelHost(
  { model, fallbackModel, entries }: ModelSettings,
  current: () => string | null,
  select: (name: string) => Promise<void>,
): NonNullable<CommandHost['models']> {
  const named: [name: string | undefined, description: string][] = [
    [model?.name, 'the configured model'],
    [fallbackModel?.name, 'the fallback model'],
    ...[...entries.keys()].map((name): [string, string] => [name, 'has settings']),
  ]
  const listed = new Map<string, string>()
  for (const [name, description] of named)
    if (name !== undefined && !listed.has(name)) listed.set(name, description)
  return {
    current,
    list: () => [...listed].map(([name, description]) => ({ name, description })),
    select,
  }
}
