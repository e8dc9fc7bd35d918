import { defaultSecretFiles } from '@curfew/core/internal'
import type { LayerSource } from './config-layer.ts'
import { type ConfigProblem, configWarning } from './config-problem.ts'
import type { Layers } from './merge-config.ts'

export const secretFilesKey = 'secretFiles'

/** The patterns of one source, in the order in which they apply. */
export interface SecretFiles {
  readonly value: readonly string[]
  readonly source: LayerSource | 'default'
  readonly file?: string
  readonly variable?: string
}

/** The list of the user replaces the default; a project can only add patterns. */
export function mergeSecretFiles({ user, project, environment, flags }: Layers): {
  readonly secretFiles: readonly SecretFiles[]
  readonly problems: readonly ConfigProblem[]
} {
  const own = [flags, environment, user].find(({ values }) => values.has(secretFilesKey))
  const base = own?.values.get(secretFilesKey) ?? { value: defaultSecretFiles, source: 'default' }
  const added = project.values.get(secretFilesKey)
  if (added === undefined) return { secretFiles: [base as SecretFiles], problems: [] }
  const patterns = added.value as readonly string[]
  const value = patterns.filter((pattern) => !removes(pattern))
  return {
    secretFiles: [base as SecretFiles, { ...(added as SecretFiles), value }],
    problems: patterns.flatMap((pattern, index) =>
      removes(pattern)
        ? [
            configWarning(
              added.file!,
              `${secretFilesKey}[${index}]`,
              `a project can only add patterns, so ${JSON.stringify(pattern)} is ignored`,
            ),
          ]
        : [],
    ),
  }
}

/** A byte order mark in front is ignored by the matcher. */
function removes(pattern: string): boolean {
  return /^\uFEFF?!/.test(pattern)
}
