/** What an off-topic sentence of a description is about. */
export type OffTopicKind = 'trigger' | 'comparison' | 'workflow' | 'output'

export interface OffTopicPhrase {
  readonly kind: OffTopicKind
  /** The matching words. */
  readonly phrase: string
}

/** A name of a tool in the text: `get_user`, `"sleep"`, `list-pages`. */
const name = String.raw`(?:["'\x60][\w./-]{1,60}["'\x60]|[a-z\d]{1,40}[_-][\w.-]{1,60})`
const lookup =
  'get|find|obtain|retrieve|determine|list|discover|look up|check|fetch|see|sample|identify|confirm|verify|inspect|read|learn|search'
const find = (...parts: string[]): RegExp => new RegExp(parts.join('|'), 'i')

const patterns: readonly (readonly [OffTopicKind, RegExp])[] = [
  [
    'workflow',
    find(
      String.raw`\b(?:then|next|afterwards),? (?:you (?:can|should|must) )?(?:call|use|run|invoke|pass)\b`,
      String.raw`\bafter (?:that|this|which)\b`,
      String.raw`\b(?:before|after|prior to|by) (?:calling|using|invoking|generating|editing|applying|returning|making)\b`,
      String.raw`\bbe (?:called|used|run|invoked) (?:before|after|first|last|once)\b`,
      String.raw`\b(?:call|run|use|invoke) (?:this|it|\S{1,60}) first\b|\bfollowed by (?:a call|calling)\b`,
      String.raw`\b(?:must|should|need to|needs to|have to|has to) first\b|\bfirst,? (?:call|use|run|perform|invoke|get|retrieve|fetch|search|list)\b`,
      String.raw`\b(?:use|call|run|invoke) (?:the )?${name}(?: tool)? (?:first )?to (?:${lookup})\b`,
      String.raw`\b(?:returned|obtained|retrieved|reserved|created|produced|received|started) (?:by|from|with|via) (?:the |a |an )?(?:previous|earlier|prior|${name})`,
      String.raw`\b(?:subsequent|later|following|further) (?:tool )?calls?\b|\bto use (?:in|with) ${name}`,
      String.raw`\bfollow(?:ed)? up with\b|\buse (?:the )?(?:returned|resulting|errors?|results?|output)\b|\buse (?:this |it )?(?:only )?after\b`,
      String.raw`\bcall (?:this|the|it|["'\x60])[^.]{0,60}\b(?:first|before|after)\b`,
      String.raw`\bat the (?:beginning|start|end) of (?:the |a |every |each )?(?:workflows?|session|conversation|task|turn)\b`,
      String.raw`\bwhen (?:relaying|presenting|displaying) (?:the )?results?\b|\bcite\b.{0,30}\bsources?\b|\bcache this\b|\buse the latest\b`,
      '(?:→|->|=>)[^.→]{1,60}(?:→|->|=>)',
    ),
  ],
  [
    'comparison',
    find(
      String.raw`\bsee also\b|\bunlike\b|\bcompared (?:to|with)\b|\balternatives? to\b|\bprefer\b.{0,60}\bover\b`,
      String.raw`\b(?:more|less) (?:efficient|accurate|reliable|powerful|convenient|expensive) than\b|\b(?:better|faster|slower|cheaper|safer) than\b`,
      String.raw`\b(?:use|call|try|prefer|choose|list|must|should)\b[^.;]{0,60} instead\b(?! of)`,
      String.raw`\b(?:instead of|rather than|similar to|different from|prefer) (?:the )?(?:${name}|other tools?\b)`,
      String.raw`^not (?:for|to|meant|intended)\b.{0,200}?\buse\b`,
      String.raw`\buse ["'\x60][\w./-]{1,60}["'\x60] (?:to|for|if|when|where)\b`,
      String.raw`\b(?:choose|use|prefer|try|call) (?:a|an|the corresponding|another|the other)\b[^.;]{0,40}\btools?\b`,
      // A name that begins with a verb is a tool; any other may be a parameter.
      String.raw`\b(?:use|call|see|try) (?:the )?["'\x60]?(?:get|list|search|find|create|read|write|fetch|update|delete|send|run|query|add|remove|set)[_-][\w./-]{1,60}`,
    ),
  ],
  [
    'trigger',
    find(
      String.raw`^(?:please |only |always |never |do not |don't |must |you (?:should|must|can) )*use (?:this|it|only|when|whenever|if|to|for|before|after|with (?:care|caution))\b`,
      String.raw`\b(?:only|always|never) (?:use|call|run|invoke|\w+) (?:it |this )?(?:when|whenever|if|once|after|before)\b`,
      String.raw`^(?:please |only |always |never |do not |don't |you (?:should|must|can) )*(?:call|invoke|choose|select|pick|run) (?:this|it) (?:tool |function )?(?:when|whenever|if|to|before|after|only|for)\b`,
      // `Trigger a deployment` is an imperative.
      String.raw`^(?:when to use|when not to use|not for)\b|^(?:usage|triggers?(?: words?| phrases?)?)\s?:`,
      String.raw`\b(?:use (?:this|it)|useful|helpful|essential|perfect|great|ideal|handy|recommended|best) (?:for|when|whenever|if|to|in)\b`,
      String.raw`\b(?:when|whenever|if|in case) (?:you (?:need|want|have to|are asked)|(?:the|a) user (?:asks|wants|needs|requests|mentions|says|has))\b`,
      String.raw`\b(?:only|always|never|do not|don't|please) (?:call|invoke|use|prefer) (?:this|it)\b|\b(?:call|invoke|use|prefer) this (?:tool |function )?(?:only|when|whenever|if|unless|over)\b`,
      String.raw`\b(?:this|the) tool (?:should|must|can|may) (?:only |also |not )?be used\b|\b(?:mandatory|required) (?:when|after|before|for (?:all|every|any))\b`,
    ),
  ],
  [
    'output',
    find(
      String.raw`\b(?:returns?|outputs?|responds? with|gives? back|produces?|yields?) (?:it |them |results? |data |the results? |output |everything )?(?:as |in )?(?:an? |the |valid |raw )?(?:json|xml|yaml|csv|objects?|arrays?|dict(?:ionary|ionaries)?|fields?|keys|an? list of|(?:markdown )?table)\b`,
      String.raw`\breturn(?:s|ing)?:? (?:an? )?(?:json |object )?\{|\b(?:as |in )?(?:json|an object):?\s?\{(?<=\breturns?\b[^.{]{0,80}\{)`,
      String.raw`(?:->|=>|→) ?(?:[[{]|(?:string|number|integer|boolean|object|array|list|dict|json|str|int|float|bool)\b)`,
      String.raw`\((?:it )?(?:returns?|outputs?|yields?)\b`,
      String.raw`\bas an? (?:json|xml|yaml) (?:structure|object|array|string|document)\b`,
      String.raw`\b(?:the )?(?:output|result|response|return value)s? (?:also )?(?:is|are|will be|contains?|includes?|has|have|clearly|consists?|states?|lists?|shows?)\b`,
      '^(?:the )?(?:output|result|response|returns?|return value|error response)s?:',
      String.raw`\beach (?:entry|item|element|result|record|row) (?:has|have|includes?|contains?|is)\b|\b(?:is|are) returned (?:with|as|in)\b`,
      String.raw`\b[45]\d\d: |\blarge response\b|\bincluding(?: [\w-]+){1,4}(?:,(?: [\w-]+){1,4}){1,8},? and\b`,
    ),
  ],
]
/** A result that is mentioned after what the tool does; `and return it` is what the tool does. */
const laterReturn = /(?<=.)(?<![-\w])(?:returns|outputs)(?= (?!to\b|on\b|code\b)\w)/i
const returnSentence = /^(?:it |this |the tool )?(?:also )?(?:returns?|outputs?)\b/i

/** The first off-topic phrase of each kind in a sentence. */
export function findOffTopic(sentence: string, isFirst: boolean): OffTopicPhrase[] {
  const text = sentence.slice(0, 1_000).replace(/^[^\p{L}\p{N}"'`]+|^\s*\d{1,2}[.)]\s+/u, '')
  const found = new Map<OffTopicKind, OffTopicPhrase>()
  for (const [kind, pattern] of patterns) {
    if (found.has(kind)) continue
    const match = pattern.exec(text)
    if (match !== null) found.set(kind, { kind, phrase: match[0].trim() })
  }
  // A first sentence that begins with it says what the tool does.
  const match = laterReturn.exec(text) ?? (isFirst ? null : returnSentence.exec(text))
  if (match !== null && !found.has('output'))
    found.set('output', { kind: 'output', phrase: text.slice(match.index, match.index + 60) })
  return [...found.values()]
}
