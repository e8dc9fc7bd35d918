import { sep } from 'node:path'
import { withFlags } from '@curfew/core/internal'
import type { ConfigOptions } from './config/config-options.ts'
import { type ConfigProblem, configWarning } from './config/config-problem.ts'
import type { Config } from './config/load-config.ts'
import type { LoadedTool } from './config/loaded-tools.ts'

interface Allowance {
  readonly tools: readonly LoadedTool[]
  readonly allow: readonly string[]
  readonly options: ConfigOptions
  /** `always_allow` and `readOnly` of a project whose allow rules are ignored. */
  readonly ignored: readonly ConfigProblem[]
}

/**
 * Adds an allow rule for every tool with `always_allow`. That and `readOnly` let a tool run without approval, so a project's may be
 * ignored, like its other allow rules.
 */
export function applyAllowance(
  loaded: readonly LoadedTool[],
  { options, roots: { project, projectAllowIgnored: reason } }: Config,
): Allowance {
  const isUsed = ({ file }: LoadedTool): boolean =>
    reason == null || project === null || !file.startsWith(project.path + sep)
  const warn = (file: string, field: string): ConfigProblem =>
    configWarning(file, field, `${reason}, so it is ignored`)
  const allow: string[] = []
  const ignored: ConfigProblem[] = []
  const tools = loaded.map((one) => {
    const { tool, file, alwaysAllow, claimsReadOnly } = one
    if (isUsed(one)) {
      if (alwaysAllow) allow.push(tool.name)
      return one
    }
    if (alwaysAllow) ignored.push(warn(file, 'always_allow'))
    if (!claimsReadOnly) return one
    ignored.push(warn(file, 'readOnly'))
    return { ...one, tool: withFlags(tool, { readOnly: false }) }
  })
  const { approval } = options
  const rules = { ...approval.rules, allow: [...(approval.rules.allow ?? []), ...allow] }
  return { tools, allow, options: { ...options, approval: { ...approval, rules } }, ignored }
}
