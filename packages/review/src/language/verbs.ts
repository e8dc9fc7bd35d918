/** Verbs that tool descriptions begin with. The list is not exhaustive: an unknown word is never reported for it. */
const verbs: ReadonlySet<string> = new Set(
  `abort accept access acknowledge activate adapt add adjust advise aggregate alert align allocate allow alter amend analyse analyze animate annotate
announce anonymise anonymize answer append apply approve archive arm arrange ask assemble assert assess assign associate attach audit authenticate
authorise authorize automate await back backfill backup ban benchmark bind block book boost boot branch bridge bring broadcast browse build bump
bundle burn buy cache calculate call cancel capture categorize change charge chat check checkout choose claim clarify classify clean cleanup clear
click clone close cluster coerce collapse collect colorize combine comment commit compare compile complete compose compress compute concatenate
condense conduct configure confirm connect consolidate construct consume contribute control convert coordinate copy cordon correct correlate count
craft crawl create crop cut deactivate debug decide declare decline decode decompile decompress decrease decrement decrypt deduplicate define
delegate delete deliver demonstrate demote denoise deny deploy deposit deprecate deregister derive describe deselect deserialise deserialize
destroy detach detect determine diagnose diff disable disarm disassemble disassociate discard disconnect discover dismiss dispatch display dispose
distribute downgrade download downvote draft drag drain draw drive drop dump duplicate echo edit eject elicit embed emit empty emulate enable
encode encrypt end enforce enhance enqueue enrich enroll ensure enter enumerate erase escalate establish estimate eval evaluate evict examine
exchange exclude exec execute expand expire explain explore export expose extend extract facilitate fail fetch fill filter finalise finalize find
finish fix flag flatten flush focus follow force forget fork format forward free freeze fulfill gather generate geocode get give go grant graph
grep group guess gzip handle hash help hide highlight hold hover identify ignore impersonate import improve include increase increment index infer
inform ingest initialise initialize initiate inject input insert inspect install instantiate instruct integrate interact interpolate interpret
interrupt intersect introduce invalidate invert investigate invite invoke isolate issue iterate join judge jump keep kick kill label launch learn
leave lemmatize let limit link lint list listen load localise localize locate lock log look lookup lower lowercase make manage manipulate map mark
match materialize measure memorize merge migrate minify mock modernize modify monitor mount move multiply mutate mute name navigate negate
normalise normalize note notify number obfuscate obtain offer onboard open operate optimise optimize orchestrate order organise organize outline
output override overwrite pack package paginate paint paraphrase park parse partition paste patch pause pay peek perform permit persist pick pin
pinch ping place plan play plot pluralize point poll pop populate post postpone predict prefetch preload prepare prepend present press preview
print prioritise prioritize probe process produce profile promote prompt propagate propose protect prove provide provision prune publish pull
purchase purge push put quantize query queue quit quote raise randomise randomize rank rate react reactivate read reassign rebase reboot rebuild
recalculate recall receive recommend recompute reconcile reconfigure reconnect record recover recreate redact redeem redeploy redirect redo reduce
refactor reformat refresh refund refuse regenerate register reindex reject relabel relate relay release reload remap remediate remember remind
remove rename render renew reopen reorder repair repeat replace replay replicate reply report repost represent reproduce request require rerun
resample rescale reschedule resend reserve reset reshape resize resolve respond restart restore restrict resume retrieve retry return retweet
reuse reveal reverse revert review revise revoke rewind rewrite roll rollback rotate round route run sample sanitise sanitize save scale scan
schedule score scrape scroll search see seed select sell send separate serialise serialize serve set setup shake shape share sharpen shift ship
show shrink shuffle shut shutdown sign silence simplify simulate sketch skip sleep slice slugify snapshot snooze solve sort spawn specify splice
split squash stabilize stage stake standardise standardize star start stash stop store stream stringify strip submit subscribe substitute subtract
suggest sum summarise summarize supply suspend swap swipe switch sync synchronise synchronize synthesise synthesize tag tail take talk tap tell
terminate test think throttle toggle tokenise tokenize touch trace traceroute track train transcode transcribe transfer transform transition
translate transpose trash traverse triage trigger trim truncate try tune turn tweak tweet type unapprove unarchive unassign unban unbind unblock
uncheck uncordon undo unenroll unfollow unfreeze uninstall unlink unlock unmark unmount unmute unpack unpin unprotect unpublish unregister unshare
unstage unstake unstar unsubscribe untag untrash unwrap unzip update upgrade upload uppercase upscale upsert upvote use utilise utilize vacuum
validate vectorise vectorize verify view visit visualise visualize vote wait wake walk warn watch weigh wipe withdraw wrap write yield zip zoom`.split(
    /\s+/,
  ),
)

export type VerbForm = 'base' | 'third-person' | 'gerund'

/** The base form of a verb, if the word is one. */
export function verbOf(token: string): { readonly base: string; readonly form: VerbForm } | undefined {
  const word = token.toLowerCase()
  if (word.length > 24) return undefined
  if (verbs.has(word)) return { base: word, form: 'base' }
  if (word.endsWith('s')) {
    const stems = [word.slice(0, -1), word.slice(0, -2), `${word.slice(0, -3)}y`]
    const base = stems.find((stem) => verbs.has(stem))
    if (base !== undefined) return { base, form: 'third-person' }
  }
  if (word.endsWith('ing')) {
    const stem = word.slice(0, -3)
    const base = [stem, `${stem}e`, stem.slice(0, -1)].find((candidate) => verbs.has(candidate))
    if (base !== undefined) return { base, form: 'gerund' }
  }
  return undefined
}
