/** Verbs that descriptions of tools begin with. A word that is not here may still be one: nothing is held against it. */
const verbs: ReadonlySet<string> = new Set(
  `abort accept access acknowledge activate add adjust aggregate alert align allocate allow analyse analyze annotate answer append apply approve
archive ask assemble assess assign attach audit authenticate authorise authorize back backup ban benchmark bind block book branch broadcast browse
build bundle buy cache calculate call cancel capture change charge chat check checkout choose claim classify clean clear click clone close cluster
coerce collapse collect combine comment commit compare compile complete compose compress compute concatenate configure confirm connect consolidate
construct consume convert coordinate copy correct correlate count crawl create crop cut debug decide declare decode decompress decrypt deduplicate
define delegate delete deliver demonstrate deploy deprecate derive describe deselect destroy detach detect determine diagnose diff disable discard
disconnect discover dismiss dispatch display dispose distribute download draft drag draw drive drop dump duplicate echo edit eject elicit embed
emit empty enable encode encrypt end enqueue enrich ensure enter enumerate erase escalate estimate eval evaluate examine exchange exclude exec
execute expand explain explore export expose extend extract fail fetch fill filter finalise finalize find finish fix flag flush focus follow force
forget fork format forward free freeze gather generate get give go grant graph grep group guess gzip handle hash help hide highlight hold hover
identify ignore import include increase increment index infer inform ingest initialise initialize initiate inject insert inspect install
instantiate instruct integrate interact interpolate interpret interrupt intersect introduce invalidate invite invoke isolate issue iterate join
judge jump keep kill label launch learn leave let limit link lint list listen load locate lock log look lookup lower make manage map mark match
measure merge migrate minify mock modify monitor mount move multiply mute name navigate negate normalise normalize note notify number obtain offer
open operate optimise optimize orchestrate order organise organize outline output overwrite pack package paginate paint park parse partition paste
patch pause pay peek perform permit persist pick pin ping place plan play plot point poll pop populate post predict prepare prepend present press
preview print prioritise prioritize probe process produce profile promote prompt propose protect prove provide provision prune publish pull purge
push put query queue quit quote raise randomise randomize rank rate read rebase reboot rebuild recalculate receive recommend reconcile reconnect
record recover redeem redirect redo reduce refactor refresh refund refuse register reindex reject relate relay release reload remember remind
remove rename render renew reopen reorder repair repeat replace reply report repost represent request require rerun reschedule reserve reset
resize resolve respond restart restore restrict resume retrieve retry return reveal reverse revert review revise revoke rewind rewrite roll rotate
round route run sample sanitise sanitize save scale scan schedule score scrape scroll search see seed select send separate serialise serialize
serve set shape share shift show shrink shuffle shut sign simplify simulate sketch skip sleep slice snapshot snooze solve sort spawn specify split
stage star start stop store stream strip submit subscribe subtract suggest sum summarise summarize supply suspend swap switch sync synchronise
synchronize synthesise synthesize tag tail take talk tell terminate test think toggle touch trace track train transcode transcribe transfer
transform translate transpose traverse triage trigger trim truncate try tune turn type unarchive unassign unblock undo unfollow uninstall unlink
unlock unmount unpack unpin unregister unstage unsubscribe unzip update upgrade upload upscale upsert use validate vectorise vectorize verify view
visit visualise visualize vote wait wake walk warn watch weigh wipe wrap write yield zip zoom`.split(/\s+/),
)

export type VerbForm = 'base' | 'third-person' | 'gerund'

/** The verb that a word is a form of, if it is one. */
export function verbOf(written: string): { readonly base: string; readonly form: VerbForm } | undefined {
  const word = written.toLowerCase()
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
