import { basename } from 'node:path'
import type { ServerContext } from './dialects.ts'
import { literal, type Position, type Translation } from './translation.ts'

/** A variable that is not one of the common ones: what is inside the braces, and the string around it. */
export type OtherVariable = (inside: string, position: Position, before: string, after: string) => string

/** Expands the variables that VS Code and the editors derived from it have in common: `${env:NAME}`, `${workspaceFolder}`. */
export function expandEditorVariables(
  translation: Translation,
  { folder, isHome }: Pick<ServerContext, 'folder' | 'isHome'>,
  other: OtherVariable,
): void {
  let namesFolder = false
  translation.each((text, position) =>
    text.replace(/\$(?:\{([^}]*)\})?/g, (found, inside: string | undefined, at: number) => {
      if (inside === undefined) return literal(found)
      if (/^env:[A-Za-z_]\w*$/.test(inside)) return `\${${inside.slice(4)}}`
      if (inside === 'userHome') return '${HOME}'
      if (inside === 'pathSeparator' || inside === '/') return '/'
      if (!/^workspace(?:Folder|Root|FolderBasename)(?::|$)/.test(inside))
        return other(inside, position, text.slice(0, at), text.slice(at + found.length))
      namesFolder = true
      return literal(inside.startsWith('workspaceFolderBasename') ? basename(folder) : folder)
    }),
  )
  if (namesFolder && isHome)
    translation.note(
      `warning: \${workspaceFolder} was replaced by ${folder}, because this file applies to all projects; write the intended folder, or define the server in its project`,
    )
}
