import type { ConfigLayer, ConfiguredValue } from './config-layer.ts'
import type { ConfigProblem } from './config-problem.ts'
import { readAssignment } from './read-assignment.ts'

/** Reads `KEY=VALUE` flags. If a key is repeated, the last value is used; rules are combined. */
export function readFlags(flags: readonly string[]): ConfigLayer {
  const values = new Map<string, ConfiguredValue>()
  const problems: ConfigProblem[] = []
  for (const flag of flags) {
    const read = readAssignment(flag)
    if (!('checked' in read)) {
      problems.push(read)
      continue
    }
    const { setting, checked } = read
    problems.push(...checked.problems)
    for (const [name, value] of checked.values) {
      const earlier = values.get(name)?.value
      const isRules = setting.kind === 'rules' && Array.isArray(value) && Array.isArray(earlier)
      values.set(name, { value: isRules ? [...earlier, ...value] : value, source: 'flag' })
    }
  }
  return { values, problems }
}
