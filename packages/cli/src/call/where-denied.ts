import type { Config, EffectiveSetting } from '@curfew/extensions'
import { showSource } from '../config/show-settings.ts'

/** A hint that names the files in which deny rules are set; `null` if there are none. */
export function whereDenied({ settings }: Config): string | null {
  const denies = ({ key, value, source }: EffectiveSetting): boolean =>
    (key === 'approval.rules.deny' && source !== 'default') ||
    (/^tools\..+\.approval$/.test(key) && value === 'deny')
  const sources = new Set(settings.filter(denies).map(showSource))
  if (sources.size === 0) return null
  return `deny rules also apply to calls that you type; they are set in ${[...sources].join(' and ')}; see curfew config`
}
