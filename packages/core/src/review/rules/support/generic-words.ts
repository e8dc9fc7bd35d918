/** Verbs that say nothing until one knows of what. */
export const genericVerbs: ReadonlySet<string> = new Set(
  `do run get set process handle execute manage make perform call use invoke fetch list create update add delete remove operate control
work act apply`.split(/\s+/),
)

/** Things that could be anything. */
export const genericNouns: ReadonlySet<string> = new Set(
  `it this that thing things stuff something anything everything data item items object objects tool function action operation
input request helper util utils misc main`.split(/\s+/),
)
