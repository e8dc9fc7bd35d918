import { wordSet } from '@curfew/core/internal'

type VerbClass = 'looking' | 'reading' | 'changing' | 'making' | 'acting' | 'deleting' | 'removing' | 'other'

/** Verbs that tool descriptions begin with, by effect. The lists are not exhaustive: an unknown word is never reported for it. */
export const verbClasses: Readonly<Record<VerbClass, ReadonlySet<string>>> = {
  /** Only look something up, whatever their object. */
  looking: wordSet(`
  analyse analyze browse calculate check compare compute count describe display enumerate estimate explain fetch find get inspect list look
  lookup preview query read retrieve return search show summarise summarize validate verify view`),
  /** Read or compute something. */
  reading: wordSet(`
  answer ask audit capture choose classify collect compose convert crawl debug decode demonstrate detect determine diff discover download
  draft dump echo encode evaluate export extract filter format gather generate grep group hash identify lint load locate match measure
  monitor navigate open outline parse peek ping predict print profile provide rank recall recommend render report request review scan score
  scrape scroll select simulate sleep sort suggest tail tell think trace transcribe translate visit wait watch`),
  /** Change something, unless their object exists only in the result. */
  changing: wordSet(`
  abort acknowledge activate amend append approve archive assign attach ban boost boot broadcast click commit configure cordon deactivate
  decline decrement deny deploy detach disable dismiss downgrade drag drain edit eject enable enqueue escalate finalize fulfill grant hover
  increment insert install invite kick kill launch migrate modify mount notify overwrite patch pinch prepend provision publish push react
  reassign rebase reboot redeploy refund register reindex reject rename reopen reply reschedule resend restart revoke rewrite rollback save
  send silence snooze stake stash subscribe suspend swipe tap terminate trash trigger unarchive unassign unban unblock undo unmute unpin
  unpublish unregister unstage unsubscribe update upgrade upload upsert vacuum withdraw`),
  /** Change something if their object persists: `create an issue`, not `create a summary`. */
  making: wordSet(`
  add adjust align allocate alter annotate announce arrange associate backup bind block book buy cancel categorize change charge checkout
  claim clone close comment copy create deposit dispatch duplicate emulate expire expose extend flag focus follow fork forward hide
  import ingest initialize inject label link lock mark merge move mute override pause pay persist pin post press produce promote protect
  purchase put queue record refresh release reload remember renew reorder replace reserve resize respond restore resume revert rotate
  schedule sell set setup shake share ship shut shutdown skip spawn squash stage star start stop store submit swap switch sync synchronize
  tag toggle transfer transition tweet unlock unprotect upvote vote write`),
  /** The same, but only if the object is known to persist: `run a workflow`. */
  acting: wordSet(`
  accept apply bring build call compile complete confirm control end eval exec execute fill handle index input invoke leave make place play
  pull rerun resolve roll run scale sign test turn type`),
  /** Delete something, with the same exception as `changing`. */
  deleting: wordSet(`
  delete destroy erase purge uninstall wipe`),
  /** The same, with the same condition as `making`. */
  removing: wordSet(`
  clean cleanup clear drop empty flush forget prune remove reset truncate`),
  other: wordSet(`
  access adapt aggregate alert allow assert authenticate authorize await back benchmark branch bump bundle cache chat cluster combine
  compress conduct construct consume coordinate correct crop cut decompress decrease decrypt deduplicate define deliver deserialize
  diagnose discard connect disconnect draw drive embed encrypt enrich ensure enter establish examine exchange exclude expand explore fail
  finish fix flatten force free geocode give go graph guess help highlight ignore improve include increase infer initiate integrate
  interact interpret intersect invalidate issue join judge keep learn let limit listen log lower manage map multiply mutate name
  normalize note number obtain onboard operate optimize order organize output pack package park paste perform pick plan plot point poll
  pop prepare present prioritize probe process prompt propose quote rate rebuild receive recompute reconnect recover recreate redact
  redirect reduce repair repeat replay represent require restrict retry reveal reverse round route sample see separate serialize serve
  shape shift simplify slice snapshot solve specify split stream stringify strip subtract sum synthesize take tokenize touch track train
  transform triage trim try use visualize walk warn wrap zip zoom`),
}

const verbs: ReadonlySet<string> = new Set(Object.values(verbClasses).flatMap((each) => [...each]))

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
