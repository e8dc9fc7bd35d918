import { Box, Text } from 'ink'
import { type ReactNode, useLayoutEffect, useMemo, useSyncExternalStore } from 'react'
import { cut } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import type { CompletionMenu } from './completion-menu.ts'
import type { InputEditor } from './input-editor.ts'
import { layoutInput } from './layout-input.ts'
import { layoutMenu, maxCompletionRows } from './layout-menu.ts'
import { layoutSearch } from './layout-search.ts'
import { useRealCursor } from './use-real-cursor.ts'

export interface PromptInputProps {
  readonly editor: InputEditor
  readonly theme: Theme
  /** Of the terminal, in columns. */
  readonly width: number
  /** For the text alone: a search or a notice adds one. */
  readonly maxRows: number
  /** For completions. @default 9 */
  readonly maxMenuRows?: number
  readonly isFocused?: boolean
  readonly placeholder?: string
}

/** Draws an editor with its menu, search and notice, and places the cursor. The caller passes keys to the editor. */
export function PromptInput({
  editor,
  theme,
  width,
  maxRows,
  maxMenuRows = maxCompletionRows,
  isFocused = true,
  placeholder = '',
}: PromptInputProps): ReactNode {
  const snapshot = useSyncExternalStore(editor.subscribe, editor.getSnapshot)
  useLayoutEffect(() => {
    editor.width = width
  }, [editor, width])
  const { lines, cursor } = useMemo(
    () => layoutInput(snapshot, { width, maxRows, theme, isFocused, placeholder }),
    [snapshot, width, maxRows, theme, isFocused, placeholder],
  )
  const { menu, search, notice } = snapshot
  const searchLine = search === null ? null : layoutSearch(search, { width, theme })
  const searchCursor = searchLine === null || !isFocused ? null : { x: searchLine.x, y: lines.length }
  const box = useRealCursor(cursor ?? searchCursor)
  return (
    <Box ref={box} flexDirection="column">
      <Text wrap="truncate">{lines.join('\n')}</Text>
      {searchLine !== null && <Text wrap="truncate">{searchLine.line}</Text>}
      {menu !== null && isFocused && (
        <CompletionList menu={menu} theme={theme} width={width} maxRows={maxMenuRows} />
      )}
      {notice !== null && <Text wrap="truncate">{theme.warning(cut(notice, width))}</Text>}
    </Box>
  )
}

interface CompletionListProps extends Pick<PromptInputProps, 'theme' | 'width' | 'maxRows'> {
  readonly menu: CompletionMenu
}

function CompletionList({ menu, theme, width, maxRows }: CompletionListProps): ReactNode {
  const lines = useMemo(() => layoutMenu(menu, { width, theme, maxRows }), [menu, width, theme, maxRows])
  return <Text wrap="truncate">{lines.join('\n')}</Text>
}
