import { homedir } from 'node:os'
import { join } from 'node:path'
import { readGitConfig } from '../../workspace/git-configured-files.ts'
import { fromFilePath } from './file-path.ts'
import type { IgnoreFileRules } from './ignore-file-rules.ts'
import { readRules } from './ignore-level.ts'

/** The file with patterns that git ignores in all repositories of this user: `core.excludesFile`, or its default. It need not exist. */
export function globalExcludesFile(
  environment: Readonly<Record<string, string | undefined>> = process.env,
  home: string = homedir(),
): string {
  const config = environment.XDG_CONFIG_HOME || join(home, '.config')
  for (const file of [join(home, '.gitconfig'), join(config, 'git', 'config')]) {
    const configured = readGitConfig(file).findLast(
      ({ section, key }) => section === 'core' && key === 'excludesfile',
    )
    if (configured !== undefined) return configured.value.replace(/^~(?=\/)/, home)
  }
  return join(config, 'git', 'ignore')
}

export function globalRulesOf(file: string | null): IgnoreFileRules | null {
  return file === null ? null : readRules(fromFilePath(file))
}
