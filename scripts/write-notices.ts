import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OutputChunk } from 'rolldown'

/** Writes the licences of all packages that have code in a bundle, as most of them require. */
export function writeNotices(file: string, chunks: readonly OutputChunk[]): void {
  const folders = new Set(chunks.flatMap(({ moduleIds }) => moduleIds.flatMap(packageFolder)))
  const notices = [...folders].map(notice).sort()
  const head = 'The curfew command contains code from these packages.\n'
  writeFileSync(file, [head, ...notices].join(`\n${'-'.repeat(80)}\n\n`))
}

/** The folder of the third-party package that contains a module; empty for our own modules. */
function packageFolder(module: string): string[] {
  const match = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(module)
  return match === null ? [] : [match[1]!]
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    'name' | 'version' | 'license',
    string
  >
  const file = licenceFile(folder) ?? licenceFile(join(folder, sameLicence[name] ?? '.'))
  if (file === null) throw new Error(`${name} ${version}: expected a licence file in ${folder}, found none`)
  return `${name} ${version} (${license})\n\n${readFileSync(file, 'utf8').trim()}\n`
}

/** Packages without a licence file, and one that has the same from the same authors. */
const sameLicence: Readonly<Record<string, string>> = {
  '@ai-sdk/provider-utils': '../provider',
  'yoga-layout': '../react',
}

function licenceFile(folder: string): string | null {
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
  return file === undefined ? null : join(folder, file)
}
