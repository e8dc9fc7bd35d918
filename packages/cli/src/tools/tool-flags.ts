import type { Tool } from '@curfew/core'

/** `read-only`, `concurrent`, ... */
export function flagsOf(tool: Tool, alwaysAllow: boolean): string[] {
  const flags = [
    tool.readOnly && 'read-only',
    tool.concurrent && 'concurrent',
    tool.alwaysLoad && 'always-load',
    alwaysAllow && 'always-allow',
  ]
  return flags.filter((flag) => flag !== false)
}
