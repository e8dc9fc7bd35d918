import type { Tool } from '@curfew/core'
import { matchGlob } from '@curfew/core/internal'
import type { Config, EffectiveSetting } from '@curfew/extensions'

/** The settings in `tools` that apply to a tool, in the order of the configuration. */
export function toolOverrides({ name, overrides }: Tool, { settings }: Config): readonly EffectiveSetting[] {
  const keys = new Set(
    Object.entries(overrides ?? {}).map(([setting, pattern]) => `tools.${pattern}.${setting}`),
  )
  return settings.filter(({ key, source }) => keys.has(key) || (source === 'project' && isRuleFor(key, name)))
}

/** A project's `approval` is a rule in addition to the user's, whatever the length of its pattern. */
function isRuleFor(key: string, name: string): boolean {
  const pattern = /^tools\.(.+)\.approval$/.exec(key)?.[1]
  return pattern !== undefined && matchGlob(pattern, name)
}
