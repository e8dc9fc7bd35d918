import type { RuntimeOptions } from '@curfew/core'
import type { Config, EffectiveSetting } from '@curfew/extensions'
import { showSource } from '../config/show-settings.ts'

/** A typed call is approved. Only deny rules apply, because they also protect people from mistakes. */
export function typedApproval({
  approval,
  tools = {},
}: Config['options']): Pick<RuntimeOptions, 'approval' | 'tools'> {
  const typed = Object.entries(tools).map(([pattern, settings]) => [
    pattern,
    settings.approval === 'ask' ? { ...settings, approval: 'allow' } : settings,
  ])
  return {
    approval: { default: 'allow', rules: { deny: approval.rules.deny } },
    tools: Object.fromEntries(typed),
  }
}

/** A hint that names the files in which deny rules are set. */
export function whereDenied({ settings }: Config): string {
  const denies = ({ key, value, source }: EffectiveSetting): boolean =>
    (key === 'approval.rules.deny' && source !== 'default') ||
    (/^tools\..+\.approval$/.test(key) && value === 'deny')
  const sources = new Set(settings.filter(denies).map(showSource))
  return `deny rules also apply to calls that you type; they are set in ${[...sources].join(' and ')}; see curfew config`
}
