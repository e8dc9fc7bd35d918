import { formatDuration } from '@curfew/core'
import type { Layer, Written } from './config-layer.ts'
import { type ConfigProblem, configWarning } from './config-problem.ts'

export interface Layers {
  readonly user: Layer
  readonly project: Layer
  readonly environment: Layer
  readonly flags: Layer
}

export interface MergedConfig {
  /** Who had the last word, by key. */
  readonly values: ReadonlyMap<string, Written>
  /** Rules count together; each list with the place that it comes from. */
  readonly rules: ReadonlyMap<string, readonly Written[]>
  /** Why nothing counts that a project allows; `null` if it does. */
  readonly refusal: string | null
  /** What was not applied, and why. */
  readonly problems: readonly ConfigProblem[]
}

const strictness: readonly unknown[] = ['allow', 'ask', 'deny']

/** user < project < environment < flags; but a project cannot loosen what the user wrote. */
export function mergeConfig({ user, project, environment, flags }: Layers): MergedConfig {
  const refusal = refusalOf([user, environment, flags])
  const problems: ConfigProblem[] = []
  const projectValues = new Map<string, Written>()
  for (const [key, written] of project.values) {
    const why = looser(key, written, user.values.get(key), refusal)
    if (why === null) projectValues.set(key, written)
    else problems.push(configWarning(written.file!, key, `${why}, so it does not count`))
  }
  const values = new Map<string, Written>()
  const rules = new Map<string, Written[]>()
  for (const layer of [user.values, projectValues, environment.values, flags.values]) {
    for (const [key, written] of layer) {
      if (!Array.isArray(written.value)) values.set(key, written)
      else rules.set(key, [...(rules.get(key) ?? []), written])
    }
  }
  return { values, rules, refusal, problems }
}

const verdictKey = 'approval.default'

/** `approval`, `approval.rules.deny[0]`, `CURFEW_APPROVAL_DEFAULT`; `approvalTimeout` is something else. */
const aboutApproval = /^(approval(\.|$)|CURFEW_APPROVAL($|_DEFAULT$|_RULES_))/

/** The user wants nothing to run without a rule of their own; or they may want it, and it cannot be read. */
function refusalOf(own: readonly Layer[]): string | null {
  const last = own.findLast(({ values }) => values.has(verdictKey))?.values.get(verdictKey)
  if (last?.value === 'deny') return 'the default that you wrote is "deny", and a project cannot loosen that'
  const unreadable = own
    .flatMap(({ problems }) => problems)
    .some(({ severity, field }) => severity === 'error' && aboutApproval.test(field ?? 'approval'))
  return unreadable ? 'what you wrote about approval cannot be read' : null
}

/** Why a project may not say this, or `null` if it may. */
function looser(
  key: string,
  project: Written,
  user: Written | undefined,
  refusal: string | null,
): string | null {
  if (key === 'approval.rules.allow') return refusal
  if (key === verdictKey) {
    const written = user?.value ?? 'ask'
    return strictness.indexOf(project.value) < strictness.indexOf(written)
      ? `${JSON.stringify(project.value)} is looser than ${user === undefined ? 'the default' : 'what you wrote'}, ${JSON.stringify(written)}`
      : null
  }
  if (key === 'maxToolCallTimeout' && user !== undefined && project.value > user.value) {
    return `${formatDuration(project.value as number)} is more than what you wrote, ${formatDuration(user.value as number)}`
  }
  return null
}
