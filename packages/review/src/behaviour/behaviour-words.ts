const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Those that look and leave everything as it is. */
export const readVerbs: ReadonlySet<string> = set(`
  get list read show return find search look fetch describe explain view display retrieve query check count compute
  calculate analyze analyse compare inspect validate verify parse extract convert translate format summarize summarise
  preview estimate monitor watch wait sleep detect demonstrate simulate echo lookup resolve diff browse download evaluate
  open render measure recommend suggest classify encode decode hash rank score predict identify determine collect gather
  enumerate scan trace profile debug lint dump peek tail grep match filter sort group draft compose outline review audit
  locate discover scrape crawl ping navigate visit transcribe capture think tell ask answer generate print`)

/** Those that change something, whatever they are said of, but for what exists only in the answer. */
export const changingVerbs: ReadonlySet<string> = set(`
  update modify edit append save upload publish deploy install rename send reply commit upsert overwrite increment patch
  rewrite migrate insert`)

/** Those that take something away for good, likewise. */
export const deletingVerbs: ReadonlySet<string> = set('delete erase purge wipe destroy unlink uninstall')

/** Those that change something only if they are said of a thing that stays: `create an issue`, but `create a summary`. */
export const perhapsChangingVerbs: ReadonlySet<string> = set(`
  create write add set move copy put post store make replace reset close archive assign register start stop restart kill
  terminate enable disable cancel change push merge mark grant revoke schedule book transfer toggle submit import rotate
  charge pay subscribe unsubscribe invite approve reject lock unlock pin share fork switch checkout stage unstage`)

export const perhapsDeletingVerbs: ReadonlySet<string> = set('remove drop truncate clear prune')

/** Said twice, they do it twice. */
export const repeatingVerbs: ReadonlySet<string> = set(
  'append send post reply submit charge pay increment toggle insert',
)

/** What a second `create` makes a second one of. */
export const repeatedThings: ReadonlySet<string> = set(
  'issue ticket comment message event order payment invoice task note row post reminder booking',
)

/** Those that run what they are given. */
export const runVerbs: ReadonlySet<string> = set('run execute exec spawn launch invoke start eval evaluate')

export const runnableThings: ReadonlySet<string> = set(
  'command shell script code program bash powershell terminal executable binary subprocess process cmd python javascript',
)

/** Programs that do anything, as their arguments say. */
export const programs: ReadonlySet<string> = set(
  'kubectl helm docker podman aws gcloud az terraform ansible psql mysql git npm pip ssh curl bash powershell osascript',
)

/** Commands of a database or a protocol: they are no programs, and only the server knows what they do. */
export const otherCommands: ReadonlySet<string> = set(
  'sql redis mongo mongodb cypher graphql query slash voice chat read-only readonly safe',
)

/** Names that are a shell all by themselves. */
export const shellNames: ReadonlySet<string> = set('bash shell sh zsh exec terminal powershell cmd')

/** Things that stay after the answer. */
export const lastingThings: ReadonlySet<string> = set(`
  file directory folder disk document record row table database index collection bucket entry issue ticket request pr
  comment branch tag release repository repo commit channel user account group role permission event calendar task todo
  page post project board card container volume instance server cluster deployment service job queue secret credential
  setting configuration config preference variable memory entity relation observation node edge contact customer order
  invoice payment subscription cart product webhook cache environment package dependency alias label milestone workflow
  reminder alarm playlist sheet spreadsheet cell slide registry key process vm machine pod namespace domain dns policy
  rule alert dashboard ticket membership member team reaction filesystem graph change pair`)

/** Where a thing goes to stay. */
export const storage: ReadonlySet<string> = set(`
  file disk directory folder database table row record cell sheet spreadsheet bucket storage repository repo filesystem
  config configuration registry memory vault calendar queue collection index cache graph`)

/** Things that exist only in the answer. */
export const passingThings: ReadonlySet<string> = set(`
  text string background whitespace duplicate stopword noise number image photo picture audio video draft list array
  html markdown json sentence paragraph word character accent summary outline prompt line-break color colour status
  preview history log info information count detail`)

/** Where what is changed is the answer itself: `remove the tags from a text`. */
export const answers: ReadonlySet<string> = set(
  'text string html markdown json csv xml sentence paragraph array snippet',
)

/** Those that texts are edited with as well. */
export const editingVerbs: ReadonlySet<string> = set(`
  remove delete erase drop clear prune truncate add insert append edit update modify set change replace rewrite move put`)

/** What lies beyond the machine. */
export const networkThings: ReadonlySet<string> = set('web internet online website webpage http https')
export const addresses: ReadonlySet<string> = set('url urls uri link webpage page website')
export const addressVerbs: ReadonlySet<string> = set(
  'fetch download open navigate crawl scrape visit request browse load',
)
export const sentThings: ReadonlySet<string> = set(
  'email mail sms webhook tweet slack discord telegram whatsapp',
)
/** With these verbs these are elsewhere too. */
export const hosts: ReadonlySet<string> = set('host hostname server ip website domain dns whois')
export const hostVerbs: ReadonlySet<string> = set('ping traceroute')
export const lookupVerbs: ReadonlySet<string> = set('resolve look lookup')
/** An API of these is on the machine. */
export const localApis: ReadonlySet<string> = set(
  'docker file system windows node dom canvas audio speech clipboard local internal native browser chrome devtools web rest python java posix linux sqlite',
)

/** Where the thing that a verb is said of ends. */
export const prepositions: ReadonlySet<string> = set(`
  of for from with in on at by to into as that which via using within if when between without about against based named
  called containing matching where while until before after under over inside onto through across than is are`)

export const determiners: ReadonlySet<string> = set(
  'the a an it them its all any this that each every their one your multiple several two both',
)

export const negations: ReadonlySet<string> = set(
  "not never no without doesn't don't cannot can't won't nothing unlike neither nor isn't avoid instead",
)

/** May stand before the verb of a sentence. */
export const openers: ReadonlySet<string> = set(`
  this the tool a an function utility it can will may also automatically safely permanently recursively allows lets you
  to enables used helps quickly simply optionally immediately asynchronously that which completely atomically directly
  securely please agent agents model user users mcp must`)
