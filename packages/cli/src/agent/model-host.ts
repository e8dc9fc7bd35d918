import type { CommandHost } from '@curfew/agent'
import type { ModelSettings } from '@curfew/extensions'

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
