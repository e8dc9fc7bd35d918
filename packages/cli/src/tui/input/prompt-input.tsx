import { Box, type CursorPosition, type DOMElement, measureElement, Text, useCursor } from 'ink'
import {
  type ReactNode,
  type RefObject,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import { cut } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import type { CompletionMenu } from './completion-menu.ts'
import { drawGrapheme, graphemesOf } from './graphemes.ts'
import { type HistorySearch, matchOf } from './history-search.ts'
import type { InputEditor } from './input-editor.ts'
import { layoutInput } from './layout-input.ts'
import { layoutMenu, maxCompletionRows } from './layout-menu.ts'

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

/** The line below the match, with the column of the cursor. */
export function layoutSearch(
  search: HistorySearch,
  { width, theme }: { readonly width: number; readonly theme: Theme },
): { readonly line: string; readonly x: number } {
  const label = width < 20 ? '' : 'search: '
  const query = endOf(search.query, Math.max(0, width - label.length - 1))
  const x = label.length + query.width
  const room = width - x - 2
  const help = room < 8 ? '' : `  ${cut(describe(search), room)}`
  return { line: theme.accent(label) + query.shown + theme.muted(help), x }
}

function describe(search: HistorySearch): string {
  if (matchOf(search) === null) return 'no match · Esc cancels'
  const { selected, matches } = search
  return `${selected + 1} of ${matches.length} · Ctrl-R older · Enter edits it · Esc cancels`
}

/** The end of a string, where someone types. */
function endOf(text: string, columns: number): { readonly shown: string; readonly width: number } {
  let shown = ''
  let width = 0
  for (const grapheme of Array.from(graphemesOf(text)).reverse()) {
    const drawn = drawGrapheme(grapheme)
    if (width + drawn.width > columns) break
    width += drawn.width
    shown = drawn.shown + shown
  }
  return { shown, width }
}

/**
 * Places the terminal's own cursor in an element, which input methods and screen readers need. Returns the ref of the element.
 * `position` is relative to the element; `null` hides the cursor.
 */
function useRealCursor(position: CursorPosition | null): RefObject<DOMElement | null> {
  const element = useRef<DOMElement>(null)
  const [isMounted, setIsMounted] = useState(false)
  // The first frame is drawn before React has set the ref.
  useLayoutEffect(() => setIsMounted(true), [])
  const { setCursorPosition } = useCursor()
  setCursorPosition(position === null || !isMounted ? undefined : positionIn(element, position))
  return element
}

/**
 * Ink needs a position from the top of its output, but what is above the element can change without it. So the position is read when
 * Ink writes a frame, after the layout of that frame is known.
 */
function positionIn(element: RefObject<DOMElement | null>, { x, y }: CursorPosition): CursorPosition {
  const origin = (): { readonly x: number; readonly y: number } =>
    element.current === null ? { x: 0, y: 0 } : measureElement(element.current)
  return {
    get x() {
      return origin().x + x
    },
    get y() {
      return origin().y + y
    },
  }
}
