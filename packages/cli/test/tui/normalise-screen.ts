/** Folders and the like that have another name in every run, with the name to show instead. */
type Names = Readonly<Record<string, string>>

/**
 * A screen without what differs from run to run, for the fixtures in `screens/`: temporary folders, ports, the ids of conversations, the
 * mark of a running call, and times. Limits stay, because they are part of what is tested: a time after `of` or `limit is`.
 */
export function normaliseScreen(screen: string, names: Names): string {
  const named = Object.entries(names).reduce((text, [name, shown]) => text.replaceAll(name, shown), screen)
  return `${named
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/--resume \w+/g, '--resume ID')
    .replace(/[⠀-⣿]/g, '*')
    .replace(/█[█░]*|░+/g, (bar) => '░'.repeat(bar.length))
    .replace(/(?<!of |limit is )\b\d+(\.\d+)? (ms|s)\b/g, 'N s')}\n`
}
