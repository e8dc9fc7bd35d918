import { type Dir, opendirSync, realpathSync } from 'node:fs'
import { join, sep } from 'node:path'
import { escapeInvisible, messageOf } from '@curfew/core/internal'
import { FileError, type FrontMatter, readFrontMatter } from '../commands/front-matter.ts'
import type { CommandProblem } from '../commands/read-command-files.ts'
import { readTextFile, type TextFile } from '../memory/read-text-file.ts'

/** A folder that contains one folder with a `SKILL.md` per skill. */
export interface SkillRoot {
  readonly folder: string
  /** For a project's skills, which must be trusted: its folder. Links that lead out of it are ignored. */
  readonly project?: string | undefined
}

export interface Skill {
  readonly name: string
  readonly description: string
  readonly folder: string
  readonly root: SkillRoot
}

export interface LoadedSkills {
  readonly skills: readonly Skill[]
  readonly problems: readonly CommandProblem[]
}

export const skillFileName = 'SKILL.md'
const maxFileBytes = 64 << 10
const maxSkills = 100
/** Of a folder. */
const maxEntries = 1_000
const maxDescriptionLength = 1_024
const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*$/
const maxNameLength = 64

/** Finds the skills in all folders. Of two with the same name, that of the earlier root is used, so pass the user's first. Never throws. */
export function loadSkills(roots: readonly SkillRoot[]): LoadedSkills {
  const skills = new Map<string, Skill>()
  const problems: CommandProblem[] = []
  for (const root of roots) {
    for (const entry of listFolder(root, problems)) {
      const folder = join(root.folder, entry)
      const file = join(folder, skillFileName)
      const problem = (severity: 'error' | 'warning', line: number | null, message: string): void =>
        void problems.push({ severity, file, line, message })
      try {
        const content = readSkillFile({ folder, root })
        if (content === null) continue
        const skill = { ...describe(readFrontMatter(content.text), entry), folder, root }
        const known = skills.get(skill.name)
        if (known !== undefined)
          problem('warning', null, `is ignored: ${known.folder} has a skill with the same name`)
        else if (skills.size === maxSkills)
          problem('error', null, `is ignored: expected at most ${maxSkills} skills`)
        else skills.set(skill.name, skill)
      } catch (error) {
        problem('error', error instanceof FileError ? error.line : null, messageOf(error))
      }
    }
  }
  return { skills: [...skills.values()], problems }
}

/**
 * `null` if the folder has no `SKILL.md`.
 *
 * @throws Error with the reason why it cannot be read
 */
export function readSkillFile({ folder, root }: Pick<Skill, 'folder' | 'root'>): TextFile | null {
  try {
    const path = realpathSync(join(folder, skillFileName))
    assertInside(path, root)
    const content = readTextFile(path, maxFileBytes, { followLink: false })
    if (content.isCut) throw new Error(`expected at most ${maxFileBytes} bytes, got ${content.bytes}`)
    if (!content.isUtf8) throw new Error('is not encoded as UTF-8')
    return content
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw code === 'ELOOP' ? new Error('is a loop of links') : error
  }
}

function assertInside(path: string, { project }: SkillRoot): void {
  if (project === undefined) return
  const folder = realpathSync(project)
  if (!path.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    throw new Error('is a link that leads out of the project')
}

/** The names in a folder, sorted; empty if there is no such folder. */
function listFolder({ folder }: SkillRoot, problems: CommandProblem[]): string[] {
  let directory: Dir
  try {
    directory = opendirSync(folder)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      problems.push({ severity: 'error', file: folder, line: null, message: messageOf(error) })
    return []
  }
  try {
    const names: string[] = []
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      if (names.length === maxEntries) {
        const message = `has more than ${maxEntries} entries; the others are ignored`
        problems.push({ severity: 'error', file: folder, line: null, message })
        break
      }
      if (!entry.name.startsWith('.')) names.push(entry.name)
    }
    return names.sort()
  } finally {
    directory.closeSync()
  }
}

/** The required fields of the front matter. Others, such as `license`, are for other programs; `allowed-tools` cannot allow calls. */
function describe(content: FrontMatter, folder: string): Pick<Skill, 'name' | 'description'> {
  const name = field(content, 'name', maxNameLength)
  const { line } = content.fields.get('name')!
  if (!namePattern.test(name))
    throw new FileError(
      line,
      `name: expected lower-case letters, digits and single -, got ${JSON.stringify(name)}`,
    )
  if (name !== folder)
    throw new FileError(line, `name: expected the name of the folder, ${JSON.stringify(folder)}, got ${name}`)
  return { name, description: escapeInvisible(field(content, 'description', maxDescriptionLength)) }
}

function field({ fields }: FrontMatter, key: string, maxLength: number): string {
  const found = fields.get(key)
  if (found === undefined)
    throw new FileError(1, `expected ${key}: in the front matter, between two lines ---`)
  if (found.isNested || /^[|>][+-]?$/.test(found.value))
    throw new FileError(found.line, `${key}: expected a string in one line`)
  if (found.value === '' || found.value.length > maxLength)
    throw new FileError(
      found.line,
      `${key}: expected 1 to ${maxLength} characters, got ${found.value.length}`,
    )
  return found.value
}
