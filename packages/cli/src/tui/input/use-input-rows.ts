import { useCallback, useSyncExternalStore } from 'react'
import { createTheme } from '../theme/theme.ts'
import type { InputEditor, InputSnapshot } from './input-editor.ts'
import { layoutInput } from './layout-input.ts'
import { completionRows } from './layout-menu.ts'

const theme = createTheme('plain')

/** The height of the input, which changes with few of its keys. */
export function useInputRows(
  editor: InputEditor,
  { width, maxRows, maxMenuRows }: { width: number; maxRows: number; maxMenuRows: number },
): number {
  const getRows = useCallback(
    () => inputRows(editor.getSnapshot(), { width, maxRows, maxMenuRows }),
    [editor, width, maxRows, maxMenuRows],
  )
  return useSyncExternalStore(editor.subscribe, getRows)
}

export function inputRows(
  snapshot: InputSnapshot,
  { width, maxRows, maxMenuRows }: { width: number; maxRows: number; maxMenuRows: number },
): number {
  const { lines } = layoutInput(snapshot, { width, maxRows, theme, isFocused: true })
  const { menu, search, notice } = snapshot
  const menuRows = menu === null ? 0 : completionRows(menu, maxMenuRows)
  return lines.length + menuRows + (search === null ? 0 : 1) + (notice === null ? 0 : 1)
}
