const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Verbs that only read. */
export const readVerbs: ReadonlySet<string> = set(`
  get list read show return find search look fetch describe explain view display retrieve query check count compute
  calculate analyze analyse compare inspect validate verify parse extract convert translate format summarize summarise
  preview estimate monitor watch wait sleep detect demonstrate simulate echo lookup resolve diff browse download evaluate
  open render measure recommend suggest classify encode decode hash rank score predict identify determine collect gather
  enumerate scan trace profile debug lint dump peek tail grep match filter sort group draft compose outline review audit
  locate discover scrape crawl ping navigate visit transcribe capture think tell ask answer generate print`)

/** Verbs that change something, unless their object exists only in the result. */
export const changingVerbs: ReadonlySet<string> = set(`
  update modify edit append save upload publish deploy install rename send reply commit upsert overwrite increment patch
  rewrite migrate insert`)

/** Verbs that delete something, with the same exception. */
export const deletingVerbs: ReadonlySet<string> = set('delete erase purge wipe destroy unlink uninstall')

/** Verbs that change something only if their object persists: `create an issue`, not `create a summary`. */
export const conditionallyChangingVerbs: ReadonlySet<string> = set(`
  create write add set move copy put post store make replace reset close archive assign register start stop restart kill
  terminate enable disable cancel change push merge mark grant revoke schedule book transfer toggle submit import rotate
  charge pay subscribe unsubscribe invite approve reject lock unlock pin share fork switch checkout stage unstage`)

export const conditionallyDeletingVerbs: ReadonlySet<string> = set('remove drop truncate clear prune')

/** Verbs whose effect accumulates when repeated. */
export const repeatingVerbs: ReadonlySet<string> = set(
  'append send post reply submit charge pay increment toggle insert',
)

/** Objects of which a repeated `create` makes another one. */
export const duplicableNouns: ReadonlySet<string> = set(
  'issue ticket comment message event order payment invoice task note row post reminder booking',
)

/** Verbs that run their object. */
export const runVerbs: ReadonlySet<string> = set('run execute exec spawn launch invoke start eval evaluate')

export const executableNouns: ReadonlySet<string> = set(
  'command shell script code program bash powershell terminal executable binary subprocess process cmd python javascript',
)

/** Programs whose effect depends entirely on their arguments. */
export const programs: ReadonlySet<string> = set(
  'kubectl helm docker podman aws gcloud az terraform ansible psql mysql git npm pip ssh curl bash powershell osascript',
)

/** Commands of a database or a protocol rather than programs: only the server knows what they do. */
export const queryCommands: ReadonlySet<string> = set(
  'sql redis mongo mongodb cypher graphql query slash voice chat read-only readonly safe',
)

/** Names of tools that are a shell. */
export const shellNames: ReadonlySet<string> = set('bash shell sh zsh exec terminal powershell cmd')

/** Objects that persist after the call. */
export const persistentNouns: ReadonlySet<string> = set(`
  file directory folder disk document record row table database index collection bucket entry issue ticket request pr
  comment branch tag release repository repo commit channel user account group role permission event calendar task todo
  page post project board card container volume instance server cluster deployment service job queue secret credential
  setting configuration config preference variable memory entity relation observation node edge contact customer order
  invoice payment subscription cart product webhook cache environment package dependency alias label milestone workflow
  reminder alarm playlist sheet spreadsheet cell slide registry key process vm machine pod namespace domain dns policy
  rule alert dashboard ticket membership member team reaction filesystem graph change pair`)

/** Places where something is stored. */
export const storage: ReadonlySet<string> = set(`
  file disk directory folder database table row record cell sheet spreadsheet bucket storage repository repo filesystem
  config configuration registry memory vault calendar queue collection index cache graph`)

/** Objects that exist only in the result. */
export const transientNouns: ReadonlySet<string> = set(`
  text string background whitespace duplicate stopword noise number image photo picture audio video draft list array
  html markdown json sentence paragraph word character accent summary outline prompt line-break color colour status
  preview history log info information count detail`)

/** Objects that are the result itself: `remove the tags from a text`. */
export const resultNouns: ReadonlySet<string> = set(
  'text string html markdown json csv xml sentence paragraph array snippet',
)

/** Verbs that also describe editing a string. */
export const editingVerbs: ReadonlySet<string> = set(`
  remove delete erase drop clear prune truncate add insert append edit update modify set change replace rewrite move put`)

/** Nouns for the network. */
export const networkNouns: ReadonlySet<string> = set('web internet online website webpage http https')
export const addresses: ReadonlySet<string> = set('url urls uri link webpage page website')
export const addressVerbs: ReadonlySet<string> = set(
  'fetch download open navigate crawl scrape visit request browse load',
)
export const messageNouns: ReadonlySet<string> = set(
  'email mail sms webhook tweet slack discord telegram whatsapp',
)
/** Nouns for a remote machine, with the verbs that contact it. */
export const hosts: ReadonlySet<string> = set('host hostname server ip website domain dns whois')
export const hostVerbs: ReadonlySet<string> = set('ping traceroute')
export const lookupVerbs: ReadonlySet<string> = set('resolve look lookup')
/** APIs that are local. */
export const localApis: ReadonlySet<string> = set(
  'docker file system windows node dom canvas audio speech clipboard local internal native browser chrome devtools web rest python java posix linux sqlite',
)

/** Words that end the object of a verb. */
export const prepositions: ReadonlySet<string> = set(`
  of for from with in on at by to into as that which via using within if when between without about against based named
  called containing matching where while until before after under over inside onto through across than is are`)

export const determiners: ReadonlySet<string> = set(
  'the a an it them its all any this that each every their one your multiple several two both',
)

export const negations: ReadonlySet<string> = set(
  "not never no without doesn't don't cannot can't won't nothing unlike neither nor isn't avoid instead",
)

/** Words that may precede the verb of a sentence. */
export const leadingFillers: ReadonlySet<string> = set(`
  this the tool a an function utility it can will may also automatically safely permanently recursively allows lets you
  to enables used helps quickly simply optionally immediately asynchronously that which completely atomically directly
  securely please agent agents model user users mcp must`)
