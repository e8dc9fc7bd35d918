const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Verbs that do nothing but look something up, whatever their object. */
export const lookingVerbs: ReadonlySet<string> = set(`
  get list read show return find search look fetch describe explain view display retrieve query check count compare
  inspect lookup enumerate preview estimate summarize summarise analyze analyse browse validate verify calculate
  compute`)

/** Verbs that only read. */
export const readVerbs: ReadonlySet<string> = new Set([
  ...lookingVerbs,
  ...set(`
  parse extract convert translate format monitor watch wait sleep detect demonstrate simulate echo resolve diff
  download evaluate open render measure recommend suggest classify encode decode hash rank score predict identify
  determine collect gather scan trace profile debug lint dump peek tail grep match filter sort group draft compose
  outline review audit locate discover scrape crawl ping navigate visit transcribe capture think tell ask answer
  generate print export recall provide report scroll`),
])

/** Verbs that change something, unless their object exists only in the result. */
export const changingVerbs: ReadonlySet<string> = set(`
  update modify edit append prepend save upload publish unpublish deploy redeploy install rename send resend reply
  commit upsert overwrite increment decrement patch rewrite migrate insert reboot restart terminate kill archive
  unarchive subscribe unsubscribe invite ban unban kick unmute unblock unpin revoke grant enable disable activate
  deactivate reactivate approve unapprove reject provision broadcast upgrade downgrade refund withdraw enqueue click
  tap swipe hover drag assign reassign unassign snooze acknowledge dismiss escalate cordon uncordon drain reopen
  reschedule suspend attach detach mount unmount register unregister deregister stash rebase fulfill finalize finalise
  silence notify trigger launch boot vacuum reconfigure configure unfollow unstar untag unshare unstage impersonate
  postpone reindex rollback undo redo push trash untrash stake unstake abort decline react enroll unenroll deny evict
  amend repost eject boost pinch`)

/** Verbs that delete something, with the same exception. */
export const deletingVerbs: ReadonlySet<string> = set('delete erase purge wipe destroy unlink uninstall')

/**
 * Verbs that change something if their object persists (`create an issue`, not `create a summary`), or if the name
 * says the same and the object may persist.
 */
export const conditionallyChangingVerbs: ReadonlySet<string> = set(`
  create write add set move copy put post store make replace reset close start stop cancel change merge mark unmark
  schedule book transfer toggle submit import rotate charge pay lock unlock pin share fork switch checkout stage pause
  resume press release allocate reserve link sync synchronize synchronise clone duplicate adjust label tag comment
  record follow star block mute vote upvote downvote override protect unprotect initialize initialise alter restore
  deposit clean cleanup expire extend renew redeem claim ingest seed populate associate disassociate hide promote
  demote reorder swap flag forget remember respond produce persist memorize bind unbind squash inject focus quit
  annotate expose arm disarm delegate backup announce setup spawn align arrange categorize`)

export const conditionallyDeletingVerbs: ReadonlySet<string> = set(
  'remove drop truncate clear prune cleanup clean forget',
)

/** Verbs whose effect accumulates when repeated. */
export const repeatingVerbs: ReadonlySet<string> = set(
  'append send post reply submit charge pay increment decrement toggle insert trigger enqueue refund broadcast withdraw',
)

/** Objects of which a repeated `create` makes another one. */
export const duplicableNouns: ReadonlySet<string> = set(
  'issue ticket comment message event order payment invoice task note row post reminder booking page record document contact lead deal card draft thread reply worklog refund',
)

/** Verbs in the base form that are not nouns even in `Capture a page and save PNG files`. */
export const plainVerbs: ReadonlySet<string> = set(
  'send upload save delete remove insert append publish create modify archive clear reset rename mark overwrite write',
)

/** Verbs that need no object, only a place or an addressee: `Click on an element`, `Reply to a message`. */
export const intransitiveVerbs: ReadonlySet<string> = set(
  'click tap swipe press hover drag reply respond unsubscribe subscribe comment vote skip test build install launch save deploy push',
)

/** Verbs that run their object. */
export const runVerbs: ReadonlySet<string> = set(
  'run execute exec spawn launch invoke start eval evaluate rerun',
)

export const executableNouns: ReadonlySet<string> = set(`
  command shell script code program bash powershell terminal executable binary subprocess process cmd python
  javascript applescript snippet notebook`)

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
  comment branch tag release repository repo commit channel user account group role permission event calendar task
  todo page post project board card container volume instance server cluster deployment service job queue secret
  credential setting configuration config preference variable memory entity relation observation node edge contact
  customer order invoice payment subscription cart product webhook cache environment package dependency alias label
  milestone workflow reminder alarm playlist sheet spreadsheet cell slide registry key process vm machine pod
  namespace domain dns policy rule alert dashboard membership member team reaction filesystem graph change pair
  resource object item thread discussion review note session app application device simulator emulator browser tab
  window screen profile default menu clipboard location orientation recording trigger automation scene schema view
  column field property association engagement deal lead company campaign audience layer shape frame component block
  workspace organization organisation space sprint epic story pipeline build zone site certificate token backup
  snapshot worker stack migration coupon refund booking reservation appointment meeting attachment bookmark favorite
  watchlist feedback transaction wallet monitor incident checklist worklog email mail message conversation vault
  notebook experiment run link relationship mailbox worksheet workbook topic stream blob droplet draft expense budget
  goal habit trip sensor light routine track album article category section lesson course student patient candidate
  listing asset license ledger bill vendor shipment variant metafield ad macro segment dataset endpoint artifact gist
  wiki integration plugin extension theme widget media poll breakpoint subnet gateway firewall presentation deck form
  survey agent assistant bot attendee subscriber collaborator participant employee`)

/** Places where something is stored. */
export const storage: ReadonlySet<string> = set(`
  file disk directory folder database table row record cell sheet spreadsheet bucket storage repository repo
  filesystem config configuration registry memory vault calendar queue collection index cache graph clipboard
  worksheet workbook notebook blob drive canvas setting secret key variable property terminal`)

/** Parts of a string, which are deleted from the result only. */
export const stringParts: ReadonlySet<string> = set(`
  text string whitespace duplicate stopword noise background word character accent sentence paragraph punctuation case
  digit suffix prefix line-break line prompt number integer float fraction operand list array html markdown json csv xml`)

/** Objects that exist only in the result. */
export const transientNouns: ReadonlySet<string> = new Set([
  ...stringParts,
  ...set(`
  image photo picture audio video summary outline color colour preview search date day week month year hour minute
  second duration plan report uuid guid timer cursor diagram chart plot qr hash password query url regex expression
  embedding vector matrix tensor thumbnail palette answer response explanation poem essay letter itinerary difference
  dice die unit sum percentage formula equation formatting tip idea suggestion recommendation example sample
  translation transcript result output guess quote joke analysis comparison forecast distance angle speech voice
  mockup quiz persona slug infographic flowchart visualization visualisation graphic mindmap svg gif art barcode
  timeline statement dockerfile readme changelog docstring snippet route estimate simulation strategy hypothesis
  thought reasoning step part pdf`),
])

/** Verbs that may only make a result of what is passed in: `Edit an image`, `Create a summary`. */
export const resultVerbs: ReadonlySet<string> = set(`
  create add make start move copy merge replace rotate label tag clean cleanup edit modify rewrite produce duplicate
  align arrange swap reorder adjust extend mute initialize initialise categorize record annotate remove drop clear
  prune truncate`)

/** Heads of compounds in which the verb is a noun: `Commit details`, but not `Update the details`. */
export const compoundHeads: ReadonlySet<string> = set(`
  status history log info information count detail statistic stat metric rate length size time type version name id
  price signal schedule policy limit analytics insight performance data summary list overview table search lookup
  finder checker parser tracker generator calculator recommendation rating score feed reader title metadata function`)

/** Verbs that are hardly ever nouns: `Update task status`. */
export const unambiguousVerbs: ReadonlySet<string> = set(`
  create update set change modify reset clear send resend upload publish broadcast save insert append upsert delete
  remove archive share install approve push assign add rename import store`)

/** Verbs that are as often nouns, apart from those in `persistentNouns`: `Share price of a stock`. */
export const nounLikeVerbs: ReadonlySet<string> = set(`
  star share book order schedule transfer charge vote pin switch flag test build play log claim swap stake resume
  checkout backup focus trade`)

/** Objects that are the result itself: `remove the tags from a text`. */
export const resultNouns: ReadonlySet<string> = set(
  'text string html markdown json csv xml sentence paragraph array snippet',
)

/** Verbs that also describe editing a string. */
export const editingVerbs: ReadonlySet<string> = set(`
  remove delete erase drop clear prune truncate add insert append prepend edit update modify set change replace
  rewrite move put merge clean`)

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
  of for from with in on at by to into as that which via using within if when between without about against based
  named called containing matching where while until before after under over inside onto through across than is are so`)

export const determiners: ReadonlySet<string> = set(
  'the a an it them its those these all any this that each every their one your multiple several two both',
)

export const negations: ReadonlySet<string> = set(
  "not never no without doesn't don't cannot can't won't nothing unlike neither nor isn't avoid instead",
)

/** Words that may precede the verb of a sentence. */
export const leadingFillers: ReadonlySet<string> = set(`
  this the tool a an function utility it can will may also automatically safely permanently recursively allows lets
  you to enables used helps quickly simply optionally immediately asynchronously that which completely atomically
  directly securely please agent agents model user users mcp must perform performs programmatically double long bulk
  batch helper api endpoint always force forcibly forcefully`)
