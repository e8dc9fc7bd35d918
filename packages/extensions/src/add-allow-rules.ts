import { sep } from 'node:path'
import type { ConfigOptions } from './config/config-options.ts'
import { type ConfigProblem, configWarning } from './config/config-problem.ts'
import type { Config } from './config/load-config.ts'
import type { LoadedTool } from './config/loaded-tools.ts'

interface AllowRules {
  readonly allow: readonly string[]
  readonly options: ConfigOptions
  /** `always_allow` of a project whose allow rules are ignored. */
  readonly ignored: readonly ConfigProblem[]
}

/** Adds an allow rule for every tool with `always_allow`. A project's may be ignored, like its other allow rules. */
export function addAllowRules(
  tools: readonly LoadedTool[],
  { options, roots, projectAllowIgnored }: Config,
): AllowRules {
  const isUsed = ({ file }: LoadedTool): boolean =>
    projectAllowIgnored === null || roots.project === null || !file.startsWith(roots.project.path + sep)
  const always = tools.filter(({ alwaysAllow }) => alwaysAllow)
  const allow = always.filter(isUsed).map(({ tool }) => tool.name)
  const ignored = always
    .filter((tool) => !isUsed(tool))
    .map(({ file }) => configWarning(file, 'always_allow', `${projectAllowIgnored}, so it is ignored`))
  const { approval } = options
  const rules = { ...approval.rules, allow: [...(approval.rules.allow ?? []), ...allow] }
  return { allow, options: { ...options, approval: { ...approval, rules } }, ignored }
}
