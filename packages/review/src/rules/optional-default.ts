import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { documentedDefault } from './support/documented-default.ts'
import { formatKeyword, formatValue } from './support/format-json.ts'
import { listNames } from './support/list-names.ts'
import { type DescribedParameter, describedParameters } from './support/parameter-prose.ts'

/** A model that omits a parameter should know what happens then, and programs read only the schema. */
export function* optionalDefault(tool: ReviewedTool): Generator<Problem> {
  const missing = describedParameters(tool).filter(
    ({ required, complete }) => required === 'never' && !Object.hasOwn(complete, 'default'),
  )
  const unstated: DescribedParameter[] = []
  const isSafe = safeNames(tool)
  for (const parameter of missing) {
    const { name, pointer, prose, complete } = parameter
    const value = documentedDefault(prose, complete)
    if (value === undefined) unstated.push(parameter)
    else {
      const message = `parameter ${quote(name)} states its default only in the text: ${formatValue(value)}`
      yield { pointer, message, ...(isSafe(name) && { rewrite: formatKeyword('default', value) }) }
    }
  }
  if (unstated.length === 0) return
  const names = [...new Set(unstated.map(({ name }) => name))]
  yield {
    pointer: unstated[0]!.pointer,
    message:
      names.length === 1
        ? `parameter ${quote(names[0]!)} is optional but has no default`
        : `${names.length} parameters are optional but have no default: ${listNames(names)}`,
    count: unstated.length,
  }
}

/** A client may fill in a default: that must not overwrite what exists, nor differ from omitting the parameter. */
function safeNames(tool: ReviewedTool): (name: string) => boolean {
  const changes = nameWords(tool.name).some((word) =>
    /^(?:update|edit|modify|patch|set|change|upsert|protect)$/.test(word),
  )
  if (changes) return () => false
  const conditions = [tool.description ?? '', ...describedParameters(tool).map(({ prose }) => prose)]
    .flatMap((text) => text.slice(0, 5_000).split(/[.;\n]/))
    .filter((sentence) =>
      /\b(?:omit|provided|given|specified|present|ignored|unless|without)/i.test(sentence),
    )
    .join('\n')
    .slice(0, 20_000)
  return (name) => !conditions.includes(name)
}
