import { UsageError } from '../command.ts'

/** `curfew tools: unknown option "--vew". Did you mean "--view"? See curfew tools --help` */
export function usageError(path: string, problem: string, ...advice: readonly string[]): UsageError {
  const sentences = [`${path}: ${problem}.`, ...advice.filter((text) => text !== ''), `See ${path} --help`]
  return new UsageError(sentences.join(' '))
}
