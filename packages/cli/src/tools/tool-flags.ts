import type { Tool } from '@curfew/core'
import { matchGlob } from '@curfew/core/internal'
import type { Config, EffectiveSetting } from '@curfew/extensions'
import type { ConfiguredTools } from './load-tools.ts'

/** `read-only`, `concurrent`, ... Those that `tools` in the configuration changed end with `*`. */
export function flagsOf(tool: Tool, { allow, config }: Pick<ConfiguredTools, 'allow' | 'config'>): string[] {
  const changed = (name: 'readOnly' | 'concurrent' | 'idempotent', label: string): string | false => {
    if (tool.overrides?.[name] !== undefined) return `${tool[name] ? '' : 'not-'}${label}*`
    return tool[name] && name !== 'idempotent' && label
  }
  const flags = [
    changed('readOnly', 'read-only'),
    changed('concurrent', 'concurrent'),
    changed('idempotent', 'idempotent'),
    tool.resources !== undefined && (tool.overrides?.resources === undefined ? 'resources' : 'resources*'),
    tool.alwaysLoad && 'always-load',
    allow.includes(tool.name) && 'always-allow',
    ...toolOverrides(tool, config)
      .filter(({ key }) => key.endsWith('.approval'))
      .map(({ value }) => `${value}*`),
  ]
  return flags.filter((flag) => flag !== false)
}

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
