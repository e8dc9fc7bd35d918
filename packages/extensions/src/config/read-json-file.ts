import { messageOf, readSmallFile } from '@curfew/core/internal'
import { parseJsonc } from '../json/parse-jsonc.ts'
import { type ConfigProblem, configError, configWarning } from './config-problem.ts'

/** Far more than anyone writes by hand. */
export const maxJsonBytes: number = 1 << 18

export type ReadJson =
  | {
      readonly kind: 'value'
      readonly value: unknown
      readonly text: string
      /** Duplicate keys, as warnings. */
      readonly problems: readonly ConfigProblem[]
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: ConfigProblem }

/** Reads a JSON file, which may contain comments and trailing commas. Never throws: problems are returned with the file's name. */
export async function readJsonFile(file: string): Promise<ReadJson> {
  const problem = (message: string): ReadJson => ({
    kind: 'problem',
    problem: configError(file, null, message),
  })
  let bytes: Buffer | null
  try {
    bytes = readSmallFile(file, maxJsonBytes)
  } catch (error) {
    return problem(messageOf(error))
  }
  if (bytes === null) return { kind: 'missing' }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return problem('is not JSON: it is not encoded as UTF-8')
  }
  try {
    const { value, duplicateKeys } = parseJsonc(text)
    const problems = duplicateKeys.map(({ path, line, column }) =>
      configWarning(file, path, `line ${line}, column ${column}: duplicate key; only the last one is used`),
    )
    return { kind: 'value', value, text, problems }
  } catch (error) {
    return problem(`is not JSON: ${messageOf(error)}`)
  }
}
