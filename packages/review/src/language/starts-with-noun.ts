import { wordSet } from '@curfew/core/internal'
import { singular } from './singular.ts'
import { verbOf } from './verbs.ts'

/** Words that never begin an imperative sentence. */
const notVerbs: ReadonlySet<string> = wordSet(`
  a an the this that these those it its your my our their his her all any each every some no one two three you we i
  they he she there here if when where who what which for with in on at by from to of and or but not only also just
  via through within without after before once while as into onto between can could will would may might must shall
  should able used given intended meant based tool function utility helper wrapper interface endpoint service api
  method feature module plugin simple powerful basic advanced new useful deprecated warning important main current
  latest recent available quick fast easy full random local public active general custom additional various multiple
  several different specific single best top automatic comprehensive daily nightly weekly monthly large default
  semantic read-only`)

/** Nouns that are hardly ever verbs, except before an article: `Image a disk`. */
const nouns: ReadonlySet<string> = wordSet(`
  github gitlab google gmail jira notion stripe twitter discord stock time account address agent analysis analytics
  app application article attachment attribute audio browser calendar category channel city client clipboard code
  collection color command-line company config configuration contact container content conversation country
  credential customer dashboard data database date deployment device directory disk distance domain entity
  environment error file-system filesystem folder image incident info information integration invoice ip item job
  json key language location media meeting member memory metadata music network news object ocr online organization
  page parameter password payment pdf person price product project property public qr question realtime repository
  resource result role row schema script secret security sentence sentiment server session setting shell size source
  spreadsheet sql state statistic status string subscription summary system table task team template thread ticket
  token topic transaction unit url user username uuid variable vector version video weather web webpage website
  window word workflow workspace xml yaml`)

/** Verbs in `File bugs`, but nouns before one of the attributes. */
const ambiguousNouns: ReadonlySet<string> = wordSet('file email text message document')
const attributes: ReadonlySet<string> = wordSet(
  'content contents metadata size path name address list length type extension format history info',
)

/** Nouns for an action that cannot be derived from a verb. */
const actionNouns: ReadonlySet<string> = wordSet(`
  lookup search access conversion retrieval removal approval analysis synthesis information info comparison recognition
  subscription completion scheduling processing testing reporting logging monitoring tracking parsing formatting conversion
  capability capabilities support integration automation assistant bot engine client wizard`)

/** Nouns that end like an agent noun (`counter`) but are not one. */
const nonAgentNouns: ReadonlySet<string> = wordSet(`
  server user browser letter printer computer driver pointer router consumer producer provider subscriber follower reviewer
  receiver owner order number folder filter container header member customer cluster`)

const determiners: ReadonlySet<string> = wordSet(
  'a an the all any each every one two its your this that these those my our their them it both',
)
/** Words that end the opening noun phrase; `to` is not one: `PDF to text conversion`. */
const stops: ReadonlySet<string> = wordSet(
  'of for by in on with from via using at per between and or as within into over through without under based powered',
)
const linking: ReadonlySet<string> = wordSet('of for is are that which')

/** Whether a sentence whose first word is not a known verb begins with a noun: `Word counter for texts`. */
export function startsWithNoun(word: string, after: string): boolean {
  const lower = word.toLowerCase()
  if (notVerbs.has(lower) || /^\d/.test(lower) || isParticiple(lower)) return true
  const [next = '', ...rest] = phrase(after)
  if (determiners.has(next)) return false
  if (linking.has(next) || nouns.has(lower) || nouns.has(singular(lower))) return true
  if (ambiguousNouns.has(lower) && attributes.has(next)) return true
  // `Frobnicate`, `Tokenize` and `Reify` are verbs, whatever follows.
  if (/(?:ate|ize|ise|ify)$/.test(lower)) return false
  const head = [next, ...rest]
  const end = head.findIndex((each) => stops.has(each))
  const words = end < 0 ? head : head.slice(0, end)
  return !words.some((each) => determiners.has(each)) && isActionNoun(words.at(-1) ?? '')
}

/** Whether a phrase such as `node management` or `file content` is about a thing rather than an action. */
export function isNounPhrase(words: readonly string[]): boolean {
  if (words.some((word) => verbOf(word) !== undefined)) return false
  const isNoun = (word = ''): boolean => nouns.has(word) || nouns.has(singular(word))
  return isActionNoun(words.at(-1) ?? '') || (isNoun(words[0]) && isNoun(words.at(-1)))
}

/** The next words, up to the punctuation that ends the phrase. */
function phrase(after: string): string[] {
  const [clause = ''] = /^[^.,;:()!?–—\n]{0,80}/.exec(after) ?? []
  return clause
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 6)
}

/** Nouns derived from a verb: `generation`, `deployment`, `counter`. */
function isActionNoun(word: string): boolean {
  if (actionNouns.has(word)) return true
  if (word.endsWith('ion')) {
    return isVerb(word.slice(0, -3), word.slice(0, -5)) || isVerb(`${word.slice(0, -7)}y`)
  }
  if (word.endsWith('ment')) return isVerb(word.slice(0, -4))
  if (!/(?:er|or)$/.test(word) || nonAgentNouns.has(word)) return false
  return isVerb(word.slice(0, -2), word.slice(0, -3))
}

function isVerb(...stems: readonly string[]): boolean {
  return stems.some((stem) => verbOf(stem)?.form === 'base' || verbOf(`${stem}e`)?.form === 'base')
}

/** `Enhanced`, `Cached`; not `Proceed`. */
function isParticiple(word: string): boolean {
  return word.length > 5 && /[^e]ed$/.test(word)
}
