import { isDeepStrictEqual } from 'node:util'
import type { RuleLists } from '@curfew/core/internal'
import type { ConfigLayer } from './config-layer.ts'
import { type ConfigOptions, toOptions } from './config-options.ts'
import type { ConfigProblem } from './config-problem.ts'
import type { ConfigRoots } from './config-roots.ts'
import { type Config, emptyLayer, readLayerFile } from './load-config.ts'
import { type Layers, type MergedConfig, mergeConfig, verdictKey } from './merge-config.ts'
import { type ApprovedContent, isApprovedSince } from './trusted-files.ts'

/** Rules as they are configured, without remembered answers. */
export type ConfiguredRules = Readonly<Record<'allow' | 'ask' | 'deny', readonly string[]>>

export interface ReloadedRules {
  readonly rules: ConfiguredRules
  /** What the project's file changes and a person has to approve: `allow x`, `deny y is removed`. */
  readonly pending: readonly string[]
  /** The settings that have changed since the start and need a restart to take effect, such as `limits`. */
  readonly needRestart: readonly string[]
  readonly problems: readonly ConfigProblem[]
}

/**
 * The rules after `config.json` has changed. The user's file is used as it is. A project's file can add `deny` and `ask` rules and remove
 * `allow` rules; anything else, compared to what was in effect at the start or was approved since, waits for `curfew trust`.
 */
export class RulesReload {
  readonly #start: ConfigOptions
  readonly #old: ApprovedContent
  /** With the last usable content of each file. */
  #layers: Layers
  /** What is approved of the project's file. */
  #approved: ConfigLayer

  /** `approved`: what had been approved before the configuration was loaded. */
  constructor({ layers }: Pick<Config, 'layers'>, approved: ApprovedContent) {
    this.#layers = layers
    this.#approved = layers.project
    this.#old = approved
    this.#start = toOptions(mergeConfig(layers))
  }

  async next({ user, project }: ConfigRoots, approved: ApprovedContent): Promise<ReloadedRules> {
    const [ofUser, ofProject] = await Promise.all([
      readLayerFile(user, 'user'),
      project?.trusted ? readLayerFile(project.path, 'project') : null,
    ])
    const read = { user: ofUser.layer, project: ofProject?.layer ?? emptyLayer }
    this.#layers = {
      ...this.#layers,
      user: isBroken(read.user) ? this.#layers.user : read.user,
      project: isBroken(read.project) ? this.#layers.project : read.project,
    }
    const isApproved =
      ofProject?.hash != null && isApprovedSince(this.#old.config, approved.config, ofProject.hash)
    // Without trust, the project's file is as if it were not there, which is the user's decision.
    if (ofProject === null || (isApproved && !isBroken(read.project))) this.#approved = this.#layers.project
    const next = mergeConfig(this.#layers)
    const after = this.#rulesOf(next)
    const before = this.#rulesOf(mergeConfig({ ...this.#layers, project: this.#approved }))
    // Under the default `deny`, which stays in effect until a restart, a question is looser than no rule.
    const isDenied = this.#start.approval.default === 'deny' || next.values.get(verdictKey)?.value === 'deny'
    const asks = isDenied ? before.ask : union(before.ask, after.ask)
    return {
      rules: {
        deny: union(before.deny, after.deny),
        ask: asks,
        allow: before.allow.filter((rule) => after.allow.includes(rule)),
      },
      pending: [
        ...without(after.allow, before.allow).map((rule) => `allow ${rule}`),
        ...without(after.ask, asks).map((rule) => `ask ${rule}`),
        ...without(before.deny, after.deny).map((rule) => `deny ${rule} is removed`),
        ...without(before.ask, after.ask).map((rule) => `ask ${rule} is removed`),
      ],
      needRestart: changedKeys(this.#start, toOptions(next)),
      problems: [...read.user.problems, ...read.project.problems, ...next.problems],
    }
  }

  /** `askIfAllowed` is `ask` until the user's new default `deny` is in effect, and after that cannot change without a restart. */
  #rulesOf(merged: MergedConfig): ConfiguredRules {
    const { askIfAllowed = [], ...rules } = toOptions(merged).approval.rules
    const isLimited = this.#start.approval.default === 'deny'
    return configuredRules(isLimited ? rules : { ...rules, ask: union(rules.ask ?? [], askIfAllowed) })
  }
}

function isBroken({ problems }: ConfigLayer): boolean {
  return problems.some(({ severity }) => severity === 'error')
}

export function configuredRules({ allow = [], ask = [], deny = [] }: RuleLists): ConfiguredRules {
  return { allow, ask, deny }
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])]
}

function without(rules: readonly string[], others: readonly string[]): string[] {
  return rules.filter((rule) => !others.includes(rule))
}

function changedKeys(before: ConfigOptions, after: ConfigOptions): string[] {
  const plain = ({ approval: { rules, ...approval }, ...rest }: ConfigOptions): Record<string, unknown> => ({
    ...rest,
    approval: { ...approval, askIfAllowed: rules.askIfAllowed },
  })
  const [old, next] = [plain(before), plain(after)]
  return union(Object.keys(old), Object.keys(next)).filter((key) => !isDeepStrictEqual(old[key], next[key]))
}
