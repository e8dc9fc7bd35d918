import { join, relative, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import type { Workspace } from '../../workspace/workspace.ts'
import { openRegularFile } from './open-regular-file.ts'
import { pinFolder } from './pin-folder.ts'
import { readBytes } from './read-bytes.ts'

const maxBytes = 1_000_000

/** Whether the `.gitignore` files at and above a folder, up to the workspace's folder, exclude an entry. */
export async function ignoreRulesFor(
  workspace: Workspace,
  folder: string,
): Promise<(name: string, isFolder: boolean) => boolean> {
  const base = workspace.folders.find((one) => folder === one || folder.startsWith(one + sep)) ?? folder
  const names = relative(base, folder).split(sep).filter(Boolean)
  const levels: { readonly rules: Ignore; readonly prefix: string }[] = []
  for (let depth = 0; depth <= names.length; depth++) {
    const rules = await readRules(join(base, ...names.slice(0, depth)))
    const prefix = names
      .slice(depth)
      .map((name) => `${name}/`)
      .join('')
    if (rules !== null) levels.push({ rules, prefix })
  }
  return (name, isFolder) => {
    let isIgnored = false
    for (const { rules, prefix } of levels) {
      const { ignored, unignored } = rules.test(`${prefix}${name}${isFolder ? '/' : ''}`)
      if (ignored || unignored) isIgnored = ignored
    }
    return isIgnored
  }
}

/** `null` if there are none, or they cannot be read. */
async function readRules(folder: string): Promise<Ignore | null> {
  try {
    const pinned = await pinFolder(folder)
    try {
      const { handle } = await openRegularFile(pinned, '.gitignore', '.gitignore')
      const text = await readBytes(handle, maxBytes).finally(() => handle.close())
      return ignore({ allowRelativePaths: true }).add(text.toString())
    } finally {
      await pinned.close()
    }
  } catch {
    return null
  }
}
