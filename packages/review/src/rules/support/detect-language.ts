/** Frequent function words of other languages that are not English words. */
const foreignWords: Readonly<Record<string, ReadonlySet<string>>> = {
  German: words(
    'der das und nicht ein eine einen einer eines mit für von zu dem des auf ist sind wird werden oder alle aus bei nach über zum zur',
  ),
  French: words('le la les des du une et dans avec ce cette ces est sont aux ou qui un au ses leur'),
  Spanish: words('el los las una unos para por del que son su sus al este esta un'),
  Portuguese: words('os um uma para com por dos das que é são seu sua ao este esta ou em'),
  Italian: words('il lo gli una del della dei delle che è sono questo questa un nel nella'),
  Dutch: words('het een voor zijn wordt niet alle naar uit bij deze'),
}
const englishWords = words(
  'the a an of to and for in with from by is are on at this that it or as be all its',
)

const languagesOf = new Map<string, string[]>()
for (const [language, known] of Object.entries(foreignWords)) {
  for (const word of known) languagesOf.set(word, [...(languagesOf.get(word) ?? []), language])
}

/** The language of a string whose function words are not English. */
export function detectForeignLanguage(text: string): string | undefined {
  const tokens = text
    .slice(0, 2_000)
    .toLowerCase()
    .split(/[^\p{L}']+/u)
  if (tokens.length < 4) return undefined
  const found = new Map<string, string[]>()
  let english = 0
  for (const word of tokens) {
    if (englishWords.has(word)) english++
    for (const language of languagesOf.get(word) ?? [])
      found.set(language, [...(found.get(language) ?? []), word])
  }
  for (const [language, matches] of found) {
    if (new Set(matches).size >= 2 && matches.length > english * 2) return language
  }
  return undefined
}

function words(list: string): Set<string> {
  return new Set(list.split(' '))
}
