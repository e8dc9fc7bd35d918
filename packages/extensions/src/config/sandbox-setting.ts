import type { ConfiguredValue } from './config-layer.ts'
import { type ConfigProblem, configWarning } from './config-problem.ts'
import { type SettingValue, variableOf } from './config-settings.ts'
import type { Layers } from './merge-config.ts'

/** Not an option of the runtime. */
export const sandboxKey = 'sandbox'

/** From the loosest to the strictest. */
const modes = ['none', 'workspace', 'workspace-offline'] as const
export type SandboxSetting = (typeof modes)[number]

/** What the agent's commands can reach. If a setting of it may be in what cannot be read, the strictest mode applies. */
export function toSandbox(
  values: ReadonlyMap<string, ConfiguredValue>,
  layers: Layers,
): { readonly mode: SandboxSetting; readonly problems: readonly ConfigProblem[] } {
  const unreadable = Object.values(layers)
    .flatMap(({ problems }) => problems)
    .find(
      ({ severity, field }) =>
        severity === 'error' && [sandboxKey, variableOf(sandboxKey), null].includes(field),
    )
  const strictest = 'workspace-offline'
  if (unreadable !== undefined) {
    const message = `cannot be read, so commands of the agent run with ${JSON.stringify(strictest)}`
    return { mode: strictest, problems: [configWarning(unreadable.file, sandboxKey, message)] }
  }
  return { mode: (values.get(sandboxKey)?.value ?? 'none') as SandboxSetting, problems: [] }
}

/** Why a project may not set this value, or `null`. */
export function whyLooserSandbox(
  key: string,
  value: SettingValue,
  user: SettingValue = 'none',
): string | null {
  const strictness: readonly SettingValue[] = modes
  if (key !== sandboxKey || strictness.indexOf(value) >= strictness.indexOf(user)) return null
  return `${JSON.stringify(value)} is looser than your setting, ${JSON.stringify(user)}`
}
