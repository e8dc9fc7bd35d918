import { readFile, stat } from 'node:fs/promises'
import { messageOf, parseJson } from '@curfew/core/internal'
import { type ConfigProblem, configError } from './config-problem.ts'

/** Far more than anybody writes by hand. */
const mostBytes = 1 << 18

export type ReadJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'missing' }
  | { readonly kind: 'problem'; readonly problem: ConfigProblem }

/** Reads a file of JSON. Never throws: what is wrong with it comes back, with the file's name. */
export async function readJsonFile(file: string): Promise<ReadJson> {
  const problem = (message: string): ReadJson => ({
    kind: 'problem',
    problem: configError(file, null, message),
  })
  let bytes: Buffer
  try {
    const found = await stat(file)
    if (!found.isFile()) return problem('is not a file')
    if (found.size > mostBytes) return problem(`has ${found.size} bytes; the most is ${mostBytes}`)
    bytes = await readFile(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'missing' }
    return problem(`cannot be read: ${messageOf(error)}`)
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { kind: 'value', value: parseJson(text) }
  } catch (error) {
    return problem(
      error instanceof SyntaxError ? `is not JSON: ${error.message}` : 'is not JSON: it is not UTF-8 text',
    )
  }
}
