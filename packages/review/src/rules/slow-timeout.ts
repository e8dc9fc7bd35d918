import type { Adapter } from '@curfew/core/internal'
import { nameWords, splitName } from '../language/name-words.ts'
import { parseOpening } from '../language/parse-opening.ts'
import { quote } from '../language/printable.ts'
import { singular } from '../language/singular.ts'
import { verbOf } from '../language/verbs.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'

const slowVerbs = new Set(
  `train transcode benchmark migrate reindex deploy build compile provision backup restore crawl rebuild test download
upload install clone transcribe scrape upgrade sync`.split(/\s+/),
)
/** Objects that make a slow verb quick: `build a query`. */
const quickObjects = new Set(
  `url uri query path string text message prompt filter link request connection pattern regex expression condition credential token password
address template date time state event result report status log history name key markdown html page`.split(
    /\s+/,
  ),
)
const slowNouns = new Set(
  'test build benchmark deployment migration crawl backup installation pipeline training'.split(' '),
)
const starters = new Set(['run', 'execute', 'start', 'perform', 'trigger', 'launch'])
/** Adapters whose default timeout is already long. */
const slowAdapters = new Set<Adapter>([
  'subagent',
  'external-agent',
  'cross-review',
  'plan',
  'transcribe',
  'image',
])
const limitParameter =
  /^(?:timeout|time_?limit|max_?(?:time|duration)|seconds|duration|deadline)(?:_?(?:s|sec|secs|seconds|ms|millis|minutes))?$/i

/** The default timeout of its adapter would end it prematurely. */
export const slowTimeout: Rule = defineRule(
  'slow-timeout',
  'warning',
  'A tool that is likely to be slow declares a timeout.',
  function* (tool) {
    const { curfew } = tool
    if (curfew === undefined || curfew.timeoutMs !== undefined || slowAdapters.has(curfew.adapter)) return
    if (Object.keys(Object(tool.inputSchema?.properties)).some((name) => limitParameter.test(name))) return
    const opening = parseOpening(descriptionProse(tool).sentences[0] ?? '')
    const sentence = [
      opening.verb ?? '',
      ...opening.after
        .slice(0, 200)
        .toLowerCase()
        .split(/[^a-z\d]+/)
        .filter(Boolean),
    ]
    const slow = slowWords(nameWords(splitName(tool).local)) ?? slowWords(sentence)
    if (slow === undefined) return
    const message = `${quote(slow)} can take a long time, but the tool declares no timeout`
    yield { pointer: '/timeout', message }
  },
)

function slowWords(words: readonly string[]): string | undefined {
  const [first = '', ...rest] = words
  const verb = verbOf(first)?.base ?? first
  const objects = rest.slice(0, 4).map(singular)
  if (slowVerbs.has(verb) && !objects.some((word) => quickObjects.has(word))) return verb
  const noun = starters.has(verb) ? objects.find((word) => slowNouns.has(word)) : undefined
  return noun === undefined ? undefined : `${verb} ${noun}`
}
