import type { RuntimeOptions } from '@curfew/core'
import type { Config, EffectiveSetting } from '@curfew/extensions'
import { showSource } from '../config/show-settings.ts'

/** A typed call is approved. Only deny rules apply, because they also protect people from mistakes. */
export function typedApproval({ approval }: Config['options']): RuntimeOptions['approval'] {
  return { default: 'allow', rules: { deny: approval.rules.deny } }
}

/** A hint that names the files in which deny rules are set. */
export function whereDenied({ settings }: Config): string {
  const hasRules = ({ key, source }: EffectiveSetting): boolean =>
    key === 'approval.rules.deny' && source !== 'default'
  const sources = new Set(settings.filter(hasRules).map(showSource))
  return `deny rules also apply to calls that you type; they are set in ${[...sources].join(' and ')}; see curfew config`
}
