export type Verdict = 'allow' | 'ask' | 'deny'

/** Rules of the form `tool` or `tool(argument-glob)`; the tool's name may be a glob, too. */
export interface RuleLists {
  readonly allow?: readonly string[] | undefined
  readonly ask?: readonly string[] | undefined
  /** Like `ask`, but only for calls that another rule allows, or that are read-only: what the default denies remains denied. */
  readonly askIfAllowed?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  /** Answers that a person gave with `always`. They allow what would otherwise be asked; deny rules still apply. */
  readonly remembered?: readonly string[] | undefined
}
