import { Box, Text } from 'ink'
import { memo, type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { widthOf } from '../../terminal.ts'
import { createTheme, type Theme } from '../theme/theme.ts'
import type { CallRowViewProps } from './call-row-view.tsx'
import { CallView } from './call-view.ts'
import type { CallsScreenStore, CallsScreenView } from './calls-screen-store.ts'
import { fitLine, joinPieces, type Piece } from './fit-line.ts'

export interface CallsScreenProps extends Pick<CallRowViewProps, 'runtime' | 'clock' | 'width' | 'theme'> {
  readonly screen: CallsScreenStore
  /** At least 4. */
  readonly height: number
}

const pointerColumns = 2
const plain = createTheme('plain')

/** `/calls`: all calls, one of which can be expanded. Only the visible rows are mounted. */
export function CallsScreen({ screen, runtime, clock, width, height, theme }: CallsScreenProps): ReactNode {
  const size = useMemo(() => ({ width, height: Math.max(1, height - 3), theme }), [width, height, theme])
  const view = useSyncExternalStore(screen.subscribe, () => screen.view(size))
  const { visible, selected, expanded } = view
  const shared = { runtime, clock, width, theme }
  return (
    <Box flexDirection="column" height={height}>
      <Line text={titleLine(view, width, theme)} />
      <Box flexDirection="column" height={size.height + 1}>
        {expanded === null ? (
          <>
            {visible.map((uid) => (
              <ListRow key={uid} uid={uid} isSelected={uid === selected} {...shared} />
            ))}
            {visible.length === 0 && <Line text={theme.muted(fitLine(emptyText(view), width))} />}
          </>
        ) : (
          <>
            <ListRow key={expanded.uid} uid={expanded.uid} isSelected {...shared} />
            {expanded.lines.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
              <Line key={index} text={line} />
            ))}
          </>
        )}
      </Box>
      <Line text={keysLine(view, width, theme)} />
    </Box>
  )
}

interface ListRowProps extends Pick<CallRowViewProps, 'runtime' | 'clock' | 'uid' | 'width' | 'theme'> {
  readonly isSelected: boolean
}

const ListRow: React.NamedExoticComponent<ListRowProps> = memo(function ListRow(
  props: ListRowProps,
): ReactNode {
  const { runtime, clock, uid, isSelected, width, theme } = props
  const view = useMemo(() => new CallView(runtime, clock, uid), [runtime, clock, uid])
  const options = useMemo(() => {
    // One style for the whole row, because those of its parts would end it.
    const rowTheme = isSelected ? plain : theme
    return { width: width - pointerColumns, theme: rowTheme, maxLines: 1, moreHint: null, isSpread: true }
  }, [width, theme, isSelected])
  const text = useSyncExternalStore(view.subscribe, () => view.text(options))
  return <Line text={isSelected ? theme.selected(`❯ ${padTo(text, width - pointerColumns)}`) : `  ${text}`} />
})

function Line({ text }: { readonly text: string }): ReactNode {
  return <Text wrap="truncate-end">{text || ' '}</Text>
}

function padTo(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** `Calls  1,024 · 3 running · 2 failed` */
function titleLine(
  { counts, filter, search, isTyping }: CallsScreenView,
  width: number,
  theme: Theme,
): string {
  const pieces: Piece[] = [
    { text: 'Calls', style: theme.heading },
    { text: `  ${counts.all} · ${counts.running} running · ${counts.failed} failed`, style: theme.muted },
  ]
  if (filter !== 'all') pieces.push({ text: `  only ${filter}`, style: theme.accent })
  if (isTyping || search !== '')
    pieces.push({ text: `  /${search}${isTyping ? '▏' : ''}`, style: theme.accent })
  return joinPieces(pieces, width)
}

function emptyText({ filter, search }: CallsScreenView): string {
  if (filter === 'all' && search === '') return 'There were no calls yet.'
  return 'No call matches. f changes the filter, / the search.'
}

const listKeys = '↑↓ select · Enter expand · c cancel · b background · f filter · / find · q close'
const detailKeys = '↑↓ scroll · ←→ other calls · Enter collapse · c cancel · b background · q close'
const narrowListKeys = 'Enter expand · c cancel · q close'
const narrowDetailKeys = 'Enter collapse · c cancel · q close'
const typingKeys = 'Enter keep · Esc clear'

/** The outcome of the last key, or else the keys. */
function keysLine({ message, isTyping, expanded }: CallsScreenView, width: number, theme: Theme): string {
  if (message !== null) return theme.accent(fitLine(message, width))
  if (isTyping) return theme.muted(fitLine(typingKeys, width))
  const [keys, fewer] = expanded === null ? [listKeys, narrowListKeys] : [detailKeys, narrowDetailKeys]
  return theme.muted(fitLine(widthOf(keys) <= width ? keys : fewer, width))
}
