import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const filesPerFolder = 20
const foldersPerFolder = 10
const words =
  'return const value index result options request response handler error message count length async await import export function class string number boolean readonly private public static extends implements interface type undefined null true false'.split(
    ' ',
  )

/** A repository of text files as they occur in projects: most have 1 to 8 KB, a few 50 KB. Always the same. */
export function writeSourceTree(root: string, files: number): void {
  mkdirSync(join(root, '.git'), { recursive: true })
  writeFileSync(join(root, '.gitignore'), 'node_modules/\n*.log\n/dist\nbuild/\n.cache\n!keep.log\n')
  const random = numbers(7)
  for (let folder = 0; folder * filesPerFolder < files; folder++) {
    const path = join(root, folderOf(folder))
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < filesPerFolder; file++) {
      const number = folder * filesPerFolder + file
      const name = `${words[random() % words.length]}-${number}.${['ts', 'js', 'md', 'json'][number % 4]}`
      writeFileSync(join(path, name), textOf(number, random))
    }
  }
}

/** What the searches look for: in one file of 500. */
export const rareNumber = 500

function textOf(number: number, random: () => number): string {
  const lines = random() % 50 === 0 ? 1_200 : 20 + (random() % 180)
  const text: string[] = []
  for (let line = 0; line < lines; line++) {
    const count = random() % 9
    const parts = Array.from({ length: count }, () => words[random() % words.length])
    text.push(
      `${'  '.repeat(random() % 4)}${parts.join(' ')}${random() % 7 === 0 ? `(${random() % 10_000})` : ''}`,
    )
  }
  if (number % rareNumber === 0)
    text[lines >> 1] = `  export function handle${number}Request(needle: Haystack) {`
  return `${text.join('\n')}\n`
}

function folderOf(number: number): string {
  const names: string[] = []
  for (let rest = number; rest > 0; rest = Math.floor(rest / foldersPerFolder))
    names.unshift(`folder${rest % foldersPerFolder}`)
  return join('src', ...names)
}

/** A linear congruential generator. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 8
  }
}
