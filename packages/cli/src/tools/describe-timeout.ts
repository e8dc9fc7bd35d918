import type { Tool } from '@curfew/core'
import { describeToolTimeout, resolveToolTimeout } from '@curfew/core/internal'
import type { EffectiveSetting } from '@curfew/extensions'
import { showSource } from '../config/show-settings.ts'
import type { ConfiguredTools } from './load-tools.ts'

/** `1 min`, and where that is set. */
export function describeTimeout(
  tool: Tool,
  { options, config }: Pick<ConfiguredTools, 'options' | 'config'>,
): readonly [limit: string, setBy: string] {
  return describeToolTimeout(resolveToolTimeout(options, tool), placeIn(config.settings))
}

/** Where each setting is set, such as `~/.config/curfew/config.json`. */
export function placeIn(settings: readonly EffectiveSetting[]): (key: string) => string | undefined {
  return (key) => {
    const setting = settings.find((one) => one.key === key)
    return setting === undefined ? undefined : showSource(setting)
  }
}
