export type Verdict = 'allow' | 'ask' | 'deny'

/** Rules of the form `tool` or `tool(argument-glob)`; the tool's name may be a glob, too. */
export interface RuleLists {
  readonly allow?: readonly string[] | undefined
  readonly ask?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}
