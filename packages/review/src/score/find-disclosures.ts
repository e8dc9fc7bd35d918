import type { ToolAnalysis } from './analyse-tool.ts'

/** What a description discloses beyond the hints: for each kind the words that do so. */
export interface Disclosures {
  readonly effects: string | undefined
  readonly limits: string | undefined
  readonly permissions: string | undefined
  readonly failure: string | undefined
}

const effects =
  /\b(?:overwrit\w+|overwrites?|without warning|cannot be undone|irreversibl[ey]|permanently|undo(?:ne)?|side[- ]effects?|rolls? back|left behind|leaves? (?:nothing|no)|in place|silently|(?:does not|doesn't|never) (?:change|modify|write|delete|touch)\w*|changes nothing|leaves? \w+ unchanged|is kept|are kept|replaces?|persists?|survives?|asks? (?:the|a) (?:person|user)|everything it started|nothing (?:that )?it started)\b/i
const limits =
  /\b(?:at (?:the )?most|up to|maximum|at (?:the )?least|limit(?:s|ed)?(?: to)?|per (?:second|minute|hour|day|request|call)|time(?:s)? out after|no more than|only (?:the )?first|rate[- ]limit\w*|truncate[sd]?|capped|first \d+|\d+ (?:seconds?|minutes?|bytes|kb|mb|items|results|entries))\b/i
const permissions =
  /\b(?:requires? [^.]{0,40}\b(?:token|key|auth\w*|permissions?|login|credentials?|approval|admin|scope|role)|authenticat\w+|authoriz\w+|permissions?|approval|approve[sd]?|api key|credentials?|allowed (?:director|path|host)\w*|only works (?:with|in|on)|access rights?|signed in)\b/i
const failure =
  /\b(?:fail(?:s|ed|ure|ures)?|errors?|raises?|throws?|exit (?:code|status)|not found|(?:does not|doesn't) exist|already exists?|is missing|invalid|returns? (?:null|nothing|an empty|empty|none|false)|retry|retries|retried|rejects?|rejected|unavailable|cannot be (?:started|found|read|reached|opened))\b/i

export function findDisclosures({ text, tool }: ToolAnalysis): Disclosures {
  const { curfew } = tool
  const find = (pattern: RegExp): string | undefined => pattern.exec(text)?.[0].slice(0, 60)
  return {
    effects: find(effects),
    limits: find(limits) ?? (curfew?.timeoutMs === undefined ? undefined : 'it has a timeout'),
    permissions: find(permissions) ?? (curfew?.readOnly === false ? 'may need approval' : undefined),
    failure: find(failure),
  }
}
