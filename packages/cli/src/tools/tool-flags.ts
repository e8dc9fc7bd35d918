import type { Tool } from '@curfew/core'
import type { ConfiguredTools } from './load-tools.ts'
import { toolOverrides } from './tool-overrides.ts'

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
