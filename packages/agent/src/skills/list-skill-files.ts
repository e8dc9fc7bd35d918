import { opendirSync } from 'node:fs'
import { join } from 'node:path'
import { escapeInvisible } from '@curfew/core/internal'
import { skillFileName } from './load-skills.ts'

const maxFiles = 100
const maxEntries = 1_000
const maxDepth = 4

/** The files of a skill besides `SKILL.md`, relative to its folder. Links are not followed, and not listed. */
export function listSkillFiles(folder: string): {
  readonly files: readonly string[]
  readonly isCut: boolean
} {
  const files: string[] = []
  let entries = 0
  const visit = (segments: readonly string[]): void => {
    const directory = opendirSync(join(folder, ...segments))
    try {
      for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
        if (++entries > maxEntries) return
        const path = [...segments, entry.name]
        if (entry.isDirectory() && path.length < maxDepth) visit(path)
        else if (entry.isFile() && path.join() !== skillFileName) files.push(escapeInvisible(path.join('/')))
      }
    } finally {
      directory.closeSync()
    }
  }
  visit([])
  return { files: files.sort().slice(0, maxFiles), isCut: files.length > maxFiles || entries > maxEntries }
}
