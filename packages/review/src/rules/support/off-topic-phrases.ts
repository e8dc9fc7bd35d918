/** What an off-topic sentence of a description is about. */
export type OffTopicKind = 'trigger' | 'comparison' | 'workflow' | 'output'

export interface OffTopicPhrase {
  readonly kind: OffTopicKind
  /** The matching words and their position. */
  readonly phrase: string
  readonly index: number
}

const patterns: readonly (readonly [OffTopicKind, RegExp])[] = [
  [
    'workflow',
    /\b(?:and |,? ?then |next,? |afterwards,? )?(?:then|next|afterwards),? (?:you (?:can|should|must) )?(?:call|use|run|invoke|pass)\b/i,
  ],
  ['workflow', /\bafter (?:that|this|which)\b|\b(?:before|after|prior to|by) (?:calling|using|invoking)\b/i],
  [
    'workflow',
    /\b(?:must|should|has to|needs to) be (?:called|used|run|invoked) (?:before|after|first|last)\b/i,
  ],
  ['workflow', /\b(?:call|run|use|invoke) (?:this|it|\S{1,60}) first\b|\bfollowed by (?:a call|calling)\b/i],
  ['comparison', /\bsee also\b|\bunlike\b|\bcompared (?:to|with)\b|\balternatives? to\b|\bin contrast to\b/i],
  [
    'comparison',
    /\b(?:more|less) (?:efficient|accurate|reliable|powerful|convenient|precise|expensive) than\b|\b(?:better|faster|slower|cheaper|safer) than\b/i,
  ],
  ['comparison', /\b(?:use|call|try|prefer) (?:the )?["'`]?[\w./-]{1,60}["'`]?(?: tool)? instead\b/i],
  [
    'comparison',
    /\b(?:instead of|rather than|similar to|different from|prefer) (?:the )?(?:["'`]?[a-z\d]{1,40}[_-][\w./-]{1,60}|["'`][\w./-]{1,60}["'`]|other tools?\b)/i,
  ],
  ['comparison', /^not (?:for|to|meant|intended)\b.{0,200}?\buse\b/i],
  ['comparison', /\buse ["'`][\w./-]{1,60}["'`] (?:to|for|if|when|where)\b/i],
  // A name that begins with a verb is a tool; any other may be a parameter.
  [
    'comparison',
    /(?:\(?\b(?:for|to|if|when) [^.()]{1,60}?,? )?\b(?:use|call|see|try) (?:the )?["'`]?(?:get|list|search|find|create|read|write|fetch|update|delete|send|run|query|add|remove|set)[_-][\w./-]{1,60}/i,
  ],
  [
    'trigger',
    /^(?:please |only |always |never |do not |don't |must |you (?:should|must|can) )*use (?:this|it|only|when|whenever|if|to|for|before|after|with (?:care|caution))\b/i,
  ],
  [
    'trigger',
    /^(?:please |only |always |never |do not |don't |you (?:should|must|can) )*(?:call|invoke|choose|select|pick|run) (?:this|it) (?:tool |function )?(?:when|whenever|if|to|before|after|only|for)\b/i,
  ],
  // `Trigger a deployment` is an imperative.
  ['trigger', /^(?:when to use|when not to use|not for)\b|^(?:usage|triggers?(?: words?| phrases?)?)\s?:/i],
  [
    'trigger',
    /\b(?:use (?:this|it)|useful|helpful|essential|perfect|great|ideal|handy) (?:for|when|whenever|if|to|in)\b/i,
  ],
  [
    'trigger',
    /\b(?:when|whenever|if|in case) (?:you (?:need|want|have to|are asked)|(?:the|a) user (?:asks|wants|needs|requests|mentions|says))\b/i,
  ],
  [
    'trigger',
    /\b(?:only|always|never|do not|don't|please) (?:call|invoke|use) (?:this|it)\b|\b(?:call|invoke|use) this (?:tool |function )?(?:only|when|whenever|if|unless)\b/i,
  ],
  ['trigger', /\b(?:this|the) tool (?:should|must|can|may) (?:only |also |not )?be used\b/i],
  [
    'output',
    /\b(?:returns?|outputs?|responds? with|gives? back|produces?|yields?) (?:it |them |results? |data |the results? |output |everything )?(?:as |in )?(?:an? |the |valid |raw )?(?:json|xml|yaml|csv|objects?|arrays?|dict(?:ionary|ionaries)?|tuples?|structs?|fields?|keys|an? list of|(?:markdown )?table)\b/i,
  ],
  [
    'output',
    /\breturn(?:s|ing)?:? (?:an? )?(?:json |object )?\{|\b(?:as |in )?(?:json|an object):?\s?\{(?<=\breturns?\b[^.{]{0,80}\{)/i,
  ],
  [
    'output',
    /(?:->|=>|→) ?(?:[[{]|(?:string|number|integer|boolean|object|array|list|dict|json|str|int|float|bool)\b)/i,
  ],
  ['output', /\((?:it )?(?:returns?|outputs?|yields?)\b/i],
  ['output', /\bas an? (?:json|xml|yaml) (?:structure|object|array|string|document)\b/i],
  [
    'output',
    /\b(?:the )?(?:output|result|response|return value)s? (?:is|are|will be|contains?|includes?|has|have|clearly|consists?)\b/i,
  ],
  ['output', /^(?:the )?(?:output|result|response|returns?|return value)s?:/i],
  [
    'output',
    /\beach (?:entry|item|element|result|record|row) (?:has|have|includes?|contains?|is)\b|\bis returned (?:with|as)\b|\bare returned (?:with|as)\b/i,
  ],
]
const laterReturn = /^(?:it |this |the tool )?(?:also )?(?:returns?|outputs?)\b/i

/** The first off-topic phrase of a sentence. A later sentence that says what is returned is entirely about the output. */
export function findOffTopic(sentence: string, isFirst: boolean): OffTopicPhrase | undefined {
  const text = sentence.slice(0, 1_000)
  for (const [kind, pattern] of patterns) {
    const match = pattern.exec(text)
    if (match !== null) return { kind, phrase: match[0].trim(), index: match.index }
  }
  const match = isFirst ? null : laterReturn.exec(text)
  return match === null ? undefined : { kind: 'output', phrase: match[0], index: 0 }
}
