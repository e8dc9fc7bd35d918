import { wordSet } from '@curfew/core/internal'
import { verbClasses } from '../language/verbs.ts'

export const readVerbs: ReadonlySet<string> = new Set([...verbClasses.looking, ...verbClasses.reading])

/** Verbs in the base form that are not nouns even in `Capture a page and save PNG files`. */
export const plainVerbs: RegExp =
  /^(?:send|upload|save|delete|remove|insert|append|publish|create|modify|archive|clear|reset|rename|mark|overwrite|write)$/

export const runVerbs: RegExp = /^(?:re)?run$|^exec(?:ute)?$|^(?:spawn|launch|invoke|start|eval|evaluate)$/

/** Programs whose effect depends entirely on their arguments. */
export const programs: RegExp =
  /^(?:kubectl|helm|docker|aws|gcloud|terraform|ansible|psql|mysql|git|npm|pip|ssh|curl|bash|powershell)$/

/** Objects that persist after the call. */
export const persistentNouns: ReadonlySet<string> = wordSet(`
  account action agent alert alias app application attachment backup block branch browser bucket build cache calendar call
  card cart cell change channel checkout clipboard cluster collection column comment commit component config
  configuration contact container credential customer dashboard database deployment device dialog directory disk
  document draft element email entity entry environment event feedback field file flag folder form fund graph group
  incident index instance invitation invoice issue item job key keyboard label lambda layer lead light link machine
  mail manifest media meeting member memory message migration money node note notebook object order package page patch
  payment permission pipeline playback playbook playlist policy post pr preference presentation process product
  profile project property queue record refund release reminder replacement repo repository request resource review
  role row rule scene schema secret server service session setting sheet sim simulator site slide snapshot spreadsheet
  subscription tab table tag task team test thread ticket todo token topic track trade transaction trigger tweet user
  variable vault volume webhook window workflow workspace`)

/** Places where something is stored. */
export const storage: ReadonlySet<string> = wordSet(`
  file disk directory folder database table row record cell sheet spreadsheet bucket storage repository config memory
  vault calendar queue collection index cache graph clipboard notebook drive canvas setting secret key terminal`)

/** Parts of a string, which are changed in the result only. */
export const stringParts: ReadonlySet<string> = wordSet(`
  text string whitespace duplicate background word character accent sentence paragraph punctuation case suffix prefix
  line prompt number integer list array html markdown json csv xml`)

/** Verbs that contact others, with the nouns for whom. */
export const contacts: readonly (readonly [verbs: RegExp, nouns: RegExp])[] = [
  [/^(?:send|post|call|invoke)$/, /^(?:email|mail|sms|webhook|tweet|slack|discord|telegram|whatsapp|http)$/],
  [
    /^(?:fetch|download|open|navigate|crawl|scrape|visit|request|browse|load|search|make|ping|trace|resolve|look|lookup)$/,
    /^(?:urls?|uri|website|webpage|web|internet|online|https?|dns|whois|hostname|host)$/,
  ],
]

/** Words that end the object of a verb. */
export const prepositions: ReadonlySet<string> = wordSet(`
  of for from with in on at by to into as that which via using within if when between without about against based
  named called containing matching where while until before after under over inside onto through across than is are so`)

export const determiners: ReadonlySet<string> = wordSet(
  'the a an it them its those these all any this that each every their one your multiple several two both',
)

export const negations: RegExp =
  /^(?:not|never|no|without|doesn't|don't|cannot|can't|won't|nothing|unlike|neither|nor|avoid|instead)$/
