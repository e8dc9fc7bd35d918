import { whyLooserThanUser } from './agent-settings.ts'
import type { ConfigLayer, ConfiguredValue } from './config-layer.ts'
import { type ConfigProblem, configWarning } from './config-problem.ts'
import { type SettingValue, splitEntryKey } from './config-settings.ts'
import { whyNotInProject } from './model-settings.ts'
import { whyNotProfiles } from './profile-settings.ts'
import { whyNotRecording } from './recording-settings.ts'
import { whyLooserSandbox } from './sandbox-setting.ts'
import { mergeSecretFiles, type SecretFiles, secretFilesKey } from './secret-files.ts'
import { whyNotUi } from './ui-settings.ts'

export interface Layers {
  readonly user: ConfigLayer
  readonly project: ConfigLayer
  readonly environment: ConfigLayer
  readonly flags: ConfigLayer
}

export interface MergedConfig {
  /** The effective values, by key. */
  readonly values: ReadonlyMap<string, ConfiguredValue>
  /** Rules of all sources are combined; each list keeps its source. */
  readonly rules: ReadonlyMap<string, readonly ConfiguredValue[]>
  /** By source; they are combined, too. */
  readonly secretFiles: readonly SecretFiles[]
  /** Why allow rules of a project are ignored; `null` if they are used. */
  readonly projectAllowIgnored: string | null
  /** Values that were not applied, and why. */
  readonly problems: readonly ConfigProblem[]
}

const strictness: readonly unknown[] = ['allow', 'ask', 'deny']

/** user < project < environment < flags, except that a project cannot loosen the user's settings. */
export function mergeConfig(layers: Layers): MergedConfig {
  const { user, project, environment, flags } = layers
  const projectAllowIgnored = whyAllowIsIgnored([user, environment, flags])
  const { secretFiles, problems: ofSecretFiles } = mergeSecretFiles(layers)
  const problems: ConfigProblem[] = [...ofSecretFiles]
  const projectValues = new Map<string, ConfiguredValue>()
  for (const [key, configured] of project.values) {
    const reason = whyTooLoose(key, configured, user.values.get(key), projectAllowIgnored)
    if (reason === null) projectValues.set(key, configured)
    else problems.push(configWarning(configured.file!, key, `${reason}, so it is ignored`))
  }
  const values = new Map<string, ConfiguredValue>()
  const rules = new Map<string, ConfiguredValue[]>()
  for (const layer of [user.values, projectValues, environment.values, flags.values]) {
    for (const [key, configured] of layer) {
      if (key.startsWith(rulesPrefix)) {
        rules.set(key, [...(rules.get(key) ?? []), configured])
        continue
      }
      if (key === secretFilesKey) continue
      // Of equally long patterns in `tools`, the last one wins, so a later source comes last.
      values.delete(key)
      values.set(key, configured)
    }
  }
  return { values, rules, secretFiles, projectAllowIgnored, problems }
}

export const verdictKey = 'approval.default'
export const rulesPrefix = 'approval.rules.'

/** `approval`, `approval.rules.deny[0]`, `tools.x.approval`, `CURFEW_APPROVAL_DEFAULT`, but not `approvalTimeout` or `tools.x.timeout`. */
const aboutApproval =
  /^(approval(\.|$)|CURFEW_APPROVAL($|_DEFAULT$|_RULES_)|tools(?!.*\.(timeout|idleTimeout|readOnly|concurrent|idempotent|resources)(\[|$)))/

/** Set if the user denies everything that their rules do not allow, or may do so in settings that cannot be read. */
function whyAllowIsIgnored(userLayers: readonly ConfigLayer[]): string | null {
  const last = userLayers.findLast(({ values }) => values.has(verdictKey))?.values.get(verdictKey)
  if (last?.value === 'deny') return 'your approval.default is "deny", which a project cannot loosen'
  const unreadable = userLayers
    .flatMap(({ problems }) => problems)
    .some(({ severity, field }) => severity === 'error' && aboutApproval.test(field ?? 'approval'))
  return unreadable ? 'your approval settings cannot be read' : null
}

/** Why a project may not set this value, or `null` if it may. */
function whyTooLoose(
  key: string,
  project: ConfiguredValue,
  user: ConfiguredValue | undefined,
  allowIgnored: string | null,
): string | null {
  if (key === 'approval.rules.allow') return allowIgnored
  if (key === verdictKey) {
    const userVerdict = user?.value ?? 'ask'
    return strictness.indexOf(project.value) < strictness.indexOf(userVerdict)
      ? `${JSON.stringify(project.value)} is looser than ${user === undefined ? 'the default' : 'your setting'}, ${JSON.stringify(userVerdict)}`
      : null
  }
  const entryKey = splitEntryKey(key)
  if (entryKey?.group === 'tools') return whyTooLooseForTools(entryKey.name, project.value, user?.value)
  return (
    whyLooserThanUser(key, project.value, user?.value) ??
    whyNotInProject(key, project.value) ??
    whyLooserSandbox(key, project.value, user?.value) ??
    whyNotUi(key) ??
    whyNotProfiles(key) ??
    whyNotRecording(key)
  )
}

/** The same for a setting in an entry of `tools`, which may concern the user's own tools. */
function whyTooLooseForTools(
  name: string,
  value: SettingValue,
  userValue: SettingValue | undefined,
): string | null {
  if (value === true) return 'a project can only set false'
  if (name !== 'approval') return null
  if (value === 'allow') return 'a project can only set "ask" or "deny"'
  return value === 'ask' && userValue === 'deny' ? '"ask" is looser than your setting, "deny"' : null
}
