import { wordSet } from '@curfew/core/internal'
import { nameWords, splitName } from '../../language/name-words.ts'
import type { ReviewedTool } from '../../review-types.ts'

/** Verbs that say nothing without an object. */
const genericVerbs: ReadonlySet<string> = wordSet(`
  do run get set process handle execute manage make perform call use invoke fetch list create update add delete remove
  operate control work act apply`)

/** The same at the beginning of a name; elsewhere they are nouns, as in `get_post` and `run_query`. */
const firstVerbs: ReadonlySet<string> = wordSet(`
  search query send find read write open close show save load check start stop change modify edit submit retrieve insert
  select post put lookup view`)

/** Nouns that could refer to anything. */
export const genericNouns: ReadonlySet<string> = wordSet(`
  it this that thing things stuff something anything everything data item items object objects tool function action operation
  input request helper util utils misc main info information details api`)

/** `list_tasks` is specific, but `perform_task` could be anything. */
const vagueVerbs: ReadonlySet<string> = wordSet('do perform process handle manage execute')
const vagueNouns: ReadonlySet<string> = wordSet('task tasks job jobs work')

/** Whether a name does not say what the tool does, or to what. */
export function isGeneric(words: readonly string[]): boolean {
  if (words.every((word) => /^[a-z]?\d*$/.test(word))) return true
  const [first = '', ...rest] = words.map((word) => word.replace(/\d+$/, ''))
  if (vagueVerbs.has(first) && rest.every((word) => genericNouns.has(word) || vagueNouns.has(word)))
    return true
  // Only the other words decide: `start_process` and `save_search` are specific.
  if (firstVerbs.has(first)) return rest.every((word) => genericNouns.has(word))
  return [first, ...rest].every((word) => genericVerbs.has(word) || genericNouns.has(word))
}

/** The same for the name of a tool: `process`, `get_data`. */
export function hasGenericName(tool: ReviewedTool): boolean {
  return isGeneric(nameWords(splitName(tool).local))
}
