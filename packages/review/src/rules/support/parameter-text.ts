import { nameWords } from '../../language/name-words.ts'
import { singular } from '../../language/singular.ts'
import { verbOf } from '../../language/verbs.ts'
import { listOf, own, type Schema, typesOf } from '../../schema/schema.ts'
import { expandWord } from './abbreviations.ts'

const units: Readonly<Record<string, string>> = {
  ms: 'milliseconds',
  millis: 'milliseconds',
  milliseconds: 'milliseconds',
  sec: 'seconds',
  secs: 'seconds',
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  bytes: 'bytes',
  kb: 'kilobytes',
  mb: 'megabytes',
  px: 'pixels',
  percent: 'percent',
}
const longWords: Readonly<Record<string, string>> = {
  max: 'largest',
  min: 'smallest',
  num: 'number of',
  count: 'number',
  dir: 'directory',
  src: 'source',
  dest: 'destination',
  id: 'identifier',
  ids: 'identifiers',
}

/** What a thing has: with the tool's object they make a sentence. */
const parts = new Set(
  'path identifier identifiers name names title content contents body text type url uri key status format size description source destination'.split(
    ' ',
  ),
)
const filters = new Set(['exclude', 'include', 'ignore', 'skip', 'keep', 'omit'])

/** A sentence about a parameter, made of its name, its type, its choices, and what the tool is about. */
export function describeParameter(name: string, schema: Schema, object = ''): string {
  const written = nameWords(name).slice(0, 8)
  const unit = units[written.at(-1) ?? '']
  const words = (unit !== undefined && written.length > 1 ? written.slice(0, -1) : written).map((word) =>
    Object.hasOwn(longWords, word) ? longWords[word]! : expandWord(word),
  )
  const isPart = words.length === 1 && parts.has(words[0]!) && object !== '' && !object.includes(words[0]!)
  const isFilter = words.length > 1 && filters.has(words[0]!) && !typesOf(schema).includes('boolean')
  const text = isFilter
    ? `${words.slice(1).join(' ')} to ${words[0]}`
    : isPart
      ? `${words[0]} of the ${object}`
      : words.join(' ') || 'value'
  if (typesOf(schema).includes('boolean')) {
    const bare = words[0] === 'is' || words[0] === 'has' ? words.slice(1).join(' ') : text
    return verbOf(words[0] ?? '')?.form === 'base' ? `Whether to ${text}.` : `Whether it is ${bare || text}.`
  }
  const choices = listOf(own(schema, 'enum'))
    .slice(0, 8)
    .filter((choice) => typeof choice !== 'object')
  if (choices.length > 0) return `The ${text}: ${orList(choices.map(String))}.`
  const items = typesOf(schema).includes('array') ? ', one entry each' : ''
  const subject =
    items !== '' && words.length > 0 && !isFilter && !isPart
      ? [...words.slice(0, -1), plural(words.at(-1)!)].join(' ')
      : text
  if (unit !== undefined && written.length > 1) return `The ${subject} in ${unit}${items}.`
  // The name alone would tell nothing that the name does not.
  const saysMore = items !== '' || isFilter || isPart || words.join(' ') !== nameWords(name).join(' ')
  return `The ${subject}${saysMore ? '' : ' <of what, in which form>'}${items}.`
}

function plural(word: string): string {
  if (singular(word) !== word) return word
  return /(?:s|x|z|sh|ch)$/.test(word)
    ? `${word}es`
    : /[^aeiou]y$/.test(word)
      ? `${word.slice(0, -1)}ies`
      : `${word}s`
}

function orList(choices: readonly string[]): string {
  if (choices.length < 2) return choices.join('')
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
