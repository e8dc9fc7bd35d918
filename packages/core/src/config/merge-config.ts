import { formatDuration } from '../duration/format-duration.ts'
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
  /** What the project allows does not count: the user wrote that nothing may run without a rule of theirs. */
  readonly userDenies: boolean
  /** What was not applied, and why. */
  readonly problems: readonly ConfigProblem[]
}

const strictness: readonly unknown[] = ['allow', 'ask', 'deny']

/** user < project < environment < flags; but a project cannot loosen what the user wrote. */
export function mergeConfig({ user, project, environment, flags }: Layers): MergedConfig {
  const own = [user, environment, flags]
  const userDefault = own.findLast(({ values }) => values.has(verdictKey))?.values.get(verdictKey)?.value
  const userDenies = userDefault === 'deny'
  const problems: ConfigProblem[] = []
  const projectValues = new Map<string, Written>()
  for (const [key, written] of project.values) {
    const why = looser(key, written, user.values.get(key), userDenies)
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
  return { values, rules, userDenies, problems }
}

const verdictKey = 'approval.default'

/** Why a project may not say this, or `null` if it may. */
function looser(
  key: string,
  project: Written,
  user: Written | undefined,
  userDenies: boolean,
): string | null {
  if (key === 'approval.rules.allow') return userDenies ? deniedByUser : null
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

export const deniedByUser = 'the default that you wrote is "deny", and a project cannot loosen that'
