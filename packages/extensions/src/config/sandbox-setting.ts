import type { ConfiguredValue } from './config-layer.ts'
import { type SettingValue, variableOf } from './config-settings.ts'
import type { Layers } from './merge-config.ts'

/** Not an option of the runtime. */
export const sandboxKey = 'sandbox'

/** From the loosest to the strictest. */
const modes = ['none', 'workspace', 'workspace-offline'] as const
export type SandboxSetting = (typeof modes)[number]

/** What the agent's commands can reach. If a setting of it may be in what cannot be read, the strictest applies. */
export function toSandbox(values: ReadonlyMap<string, ConfiguredValue>, layers: Layers): SandboxSetting {
  const isUnreadable = Object.values(layers)
    .flatMap(({ problems }) => problems)
    .some(({ severity, field }) => severity === 'error' && concerned.includes(field))
  return isUnreadable ? 'workspace-offline' : ((values.get(sandboxKey)?.value ?? 'none') as SandboxSetting)
}

/** `null` is a whole file. */
const concerned: readonly (string | null)[] = [sandboxKey, variableOf(sandboxKey), null]

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
