/** The names that appear in text outside of HTML pages. */
const names: ReadonlyMap<string, string> = new Map([
  ['nbsp', '\u00a0'],
  ...`
    amp &  lt <  gt >  quot "  apos '  copy ©  reg ®  trade ™  deg °  plusmn ±  times ×  divide ÷
    middot ·  bull •  hellip …  ndash –  mdash —  lsquo ‘  rsquo ’  ldquo “  rdquo ”  laquo «  raquo »
    larr ←  rarr →  uarr ↑  darr ↓  harr ↔  rArr ⇒  le ≤  ge ≥  ne ≠  asymp ≈  infin ∞  check ✓  euro €
    pound £  yen ¥  cent ¢  sect §  para ¶  micro µ  alpha α  beta β  gamma γ  delta δ  lambda λ  mu μ
    pi π  sigma σ  Omega Ω
  `
    .trim()
    .split(/\s{2,}/)
    .map((pair) => pair.split(' ') as [name: string, character: string]),
])

/** Decodes entities such as `&lt;`; numeric ones have been decoded by the parser. Unknown names stay as they are. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([a-zA-Z]{2,8});/g, (entity, name: string) => names.get(name) ?? entity)
}
