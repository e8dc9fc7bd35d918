import { sep } from 'node:path'
import type { ConfigOptions } from './config/config-options.ts'
import { type ConfigProblem, configWarning } from './config/config-problem.ts'
import type { Config } from './config/load-config.ts'
import type { LoadedTool } from './config/loaded-tools.ts'

interface Joined {
  readonly allow: readonly string[]
  readonly options: ConfigOptions
  readonly refused: readonly ConfigProblem[]
}

/** `always_allow` is an allow rule like any other: that of a project may not count. */
export function joinAllowed(tools: readonly LoadedTool[], { options, roots, refusal }: Config): Joined {
  const counts = ({ file }: LoadedTool): boolean =>
    refusal === null || roots.project === null || !file.startsWith(roots.project.path + sep)
  const free = tools.filter(({ alwaysAllow }) => alwaysAllow)
  const allow = free.filter(counts).map(({ tool }) => tool.name)
  const refused = free
    .filter((tool) => !counts(tool))
    .map(({ file }) => configWarning(file, 'always_allow', `${refusal}, so it does not count`))
  const { approval } = options
  const rules = { ...approval.rules, allow: [...(approval.rules.allow ?? []), ...allow] }
  return { allow, options: { ...options, approval: { ...approval, rules } }, refused }
}
