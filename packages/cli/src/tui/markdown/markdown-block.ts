/** A part of a Markdown document that can be rendered on its own. */
export interface MarkdownBlock {
  readonly source: string
  /** An empty line precedes it. */
  readonly hasGap: boolean
  /** It may still change. */
  readonly isPending?: true
  /** The number of an item of a numbered list. */
  readonly number?: number
}
