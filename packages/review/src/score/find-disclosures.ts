import type { ToolAnalysis } from './analyse-tool.ts'

/** What a description discloses beyond the hints: for each kind the words that do so. */
export interface Disclosures {
  readonly effects: string | undefined
  readonly limits: string | undefined
  readonly requirements: string | undefined
  readonly failure: string | undefined
  readonly result: string | undefined
}

const effects =
  /\b(?:overwrit\w+|undone|irreversibl[ey]|permanently|side[- ]effects?|silently|(?:does not|doesn't|never) \w+|no-op|nothing (?:else )?(?:is|was)|unchanged|replac(?:es?|ing)|persist\w*|asks? (?:the|a) (?:person|user)|removes? (?:its|the|all|every|any)|revokes?|dry[- ]run|preview|auto-\w+)\b/i
const limits =
  /\b(?:at (?:the )?(?:most|least)|up to|maximum|limit(?:s|ed)?|per (?:second|minute|hour|day|request|call|run|page)|truncate[sd]?|\d+ (?:to|[-–]) \d+|\d+ (?:seconds?|minutes?|hours?|days?|bytes|kb|mb|items|results|entries|rows|credits|points)|(?:newest|oldest|most recent\w*|latest)(?: \w+)? first|sorted|paginat\w+|one page|charged|billed|costs?|expires?|poll|defaults? to|ranked)\b|\$\d/i
const requirements =
  /\b(?:requires?|required|needs?|must|only (?:after|when|if|the)|authenticat\w+|authoriz\w+|permissions?|permitted|approv(?:al|e|es|ed)|confirm\w*|api key|credentials?|allowed|signed[- ]in|configured|accessible)\b/i
const failure =
  /\b(?:fail(?:s|ed|ures?)?|errors?|raises?|throws?|exit code|not found|(?:does not|doesn't) exist|already exists?|is missing|returns? (?:null|nothing|an? empty|none|false)|retry|reject(?:s|ed)?|refuse[sd]?|unavailable|dropped|ignored|4\d\d|otherwise)\b/i
const result =
  /\b(?:return(?:s|ed|ing)?|responds? with|outputs?|results? (?:is|are|contains?|includes?)|reports? (?:the|whether|how|what)|prints?|includ(?:es|ing))\b|→/i

export function findDisclosures({ text, tool: { curfew } }: ToolAnalysis): Disclosures {
  const find = (pattern: RegExp): string | undefined => pattern.exec(text)?.[0]
  return {
    effects: find(effects),
    limits: find(limits) ?? (curfew?.timeoutMs === undefined ? undefined : 'it has a timeout'),
    requirements: find(requirements) ?? (curfew?.readOnly === false ? 'may need approval' : undefined),
    failure: find(failure),
    result: find(result),
  }
}
