import type { ToolAnalysis } from './analyse-tool.ts'

/** What a description discloses beyond the hints: for each kind the words that do so. */
export interface Disclosures {
  readonly effects: string | undefined
  readonly limits: string | undefined
  readonly permissions: string | undefined
  readonly failure: string | undefined
  readonly result: string | undefined
}

const effects =
  /\b(?:overwrit\w+|without warning|cannot be undone|irreversibl[ey]|permanently|undo(?:ne)?|side[- ]effects?|rolls? back|left behind|leaves? (?:nothing|no)|in place|silently|(?:does not|doesn't|never) \w+|changes? nothing|no-op|nothing (?:else )?(?:is|was)|(?:leaves?|stays?|remains?|keeps?) [\w ]{0,30}\b(?:unchanged|active|as it was)|(?:is|are) kept|unchanged|replac(?:es?|ing)|persist\w*|durable|survives?|asks? (?:the|a) (?:person|user)|everything it started|nothing (?:that )?it started|removes? (?:its|the|all|every|any)|stops? all|revokes?|releases?d?|soft-delet\w+|recoverable|reversible|dry[- ]run|preview|draft|creat(?:es?|ing) (?:any )?missing|only the (?:\w+ ){1,3}(?:you )?(?:pass|change|supplied)|takes? effect|auto-\w+|scoped|private|recorded in|reaches other)\b/i
const limits =
  /\b(?:at (?:the )?most|up to|maximum|at (?:the )?least|limit(?:s|ed)?(?: to)?|per (?:second|minute|hour|day|request|call|run|page|image)|time(?:s)? out after|no more than|only (?:the )?first|rate[- ]limit\w*|truncate[sd]?|capped|first \d+|\d+ (?:to|[-–]) \d+|\d+ (?:seconds?|minutes?|hours?|days?|bytes|kb|mb|items|results|entries|rows|credits|points)|(?:newest|oldest|most recent\w*|latest)(?: \w+)? first|sorted|ordered by|paginat\w+|next_?cursor|one page|charged|billed|costs?|not metered|expires?|(?:is|are) (?:queued|cached)|poll|defaults? to|asynchronous\w*|ranked)\b|\$\d/i
const permissions =
  /\b(?:requires?|required|needs?|must|only (?:after|when|if|the)|authenticat\w+|authoriz\w+|permissions?|permitted|approv(?:al|e|es|ed)|confirm\w*|api key|credentials?|allowed|only works (?:with|in|on)|access rights?|signed[- ]in|configured|accessible)\b/i
const failure =
  /\b(?:fail(?:s|ed|ure|ures)?|errors?|raises?|throws?|exit (?:code|status)|not found|(?:does not|doesn't) exist|already exists?|is missing|invalid|returns? (?:null|nothing|an empty|empty|none|false)|retry|retries|retried|reject(?:s|ed)?|refuse[sd]?|unavailable|cannot be (?:started|found|read|reached|opened)|dropped|ignored|4\d\d|without an? \w+:|otherwise)\b/i
const result =
  /\b(?:returns?|returned|returning|responds? with|outputs?|results? (?:is|are|contains?|includes?)|yields?|gives back|the answer (?:is|has|contains)|reports? (?:the|whether|how|what)|prints?|includ(?:es|ing))\b|→/i
/** `a user: name, email and settings` */
const enumeration = /[:—(] ?(?:[^.,;:()]{2,40}, ){2,}/

export function findDisclosures({ text, sentences, tool }: ToolAnalysis): Disclosures {
  const { curfew } = tool
  const find = (pattern: RegExp): string | undefined => pattern.exec(text)?.[0].slice(0, 60)
  return {
    effects: find(effects),
    limits: find(limits) ?? (curfew?.timeoutMs === undefined ? undefined : 'it has a timeout'),
    permissions: find(permissions) ?? (curfew?.readOnly === false ? 'may need approval' : undefined),
    failure: find(failure),
    result: find(result) ?? enumeration.exec(sentences[0]?.text ?? '')?.[0].slice(0, 60),
  }
}
