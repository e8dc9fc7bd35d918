import type { RuntimeOptions } from '@curfew/core'
import type { Config, EffectiveSetting } from '@curfew/extensions'
import { showSource } from '../config/show-settings.ts'

/** Whoever types a call has approved it. Only deny rules stop it: they also protect a person from a mistake. */
export function typedApproval({ approval }: Config['options']): RuntimeOptions['approval'] {
  return { default: 'allow', rules: { deny: approval.rules.deny } }
}

/** Where to look for the rule that denied a call. */
export function whereDenied({ settings }: Config): string {
  const hasRules = ({ key, source }: EffectiveSetting): boolean =>
    key === 'approval.rules.deny' && source !== 'default'
  const places = new Set(settings.filter(hasRules).map(showSource))
  return `deny rules also apply to what you type; they are set by ${[...places].join(' and ')}: curfew config lists them`
}
