/** Folders that have another name in every run, with the name to show instead. */
type Names = Readonly<Record<string, string>>

/**
 * A screen without what differs from run to run, for the fixtures in `screens/`: temporary folders, ports, ids of conversations, the size of
 * the context and the number of calls, which the status line shows a moment later, the mark, the bar and the silence of a running call, and times, with the blanks before them. Limits stay, because they are tested.
 */
export function normaliseScreen(screen: string, names: Names): string {
  const named = Object.entries(names).reduce((text, [name, shown]) => text.replaceAll(name, shown), screen)
  return `${named
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/--resume \w+/g, '--resume ID')
    .replace(/\b\d+k? tokens/g, 'N tokens')
    .replace(/ · \d+\/1000 calls/g, '')
    .replace(/[⠀-⣿]/g, '*')
    .replace(/█[█░]*|░+/g, (bar) => '░'.repeat(bar.length))
    .replace(/\b\d\d:\d\d:\d\d\b/g, 'HH:MM:SS')
    .replace(duration, (all, limit: string | undefined) => (limit === undefined ? 'N s' : all))
    .replaceAll(' · quiet for N s', '')
    .replace(/(?<=\S) {3,}(?=.*N s)/g, '   ')}\n`
}

/** With the word before it, if it is a limit. */
const duration = /(\bof |\blimit is |^limit +)?\b(?:\d+ (?:h|min) )*\d+(?:\.\d+)? (?:ms|s)\b/gm
