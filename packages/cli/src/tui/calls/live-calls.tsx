import { Box, Text } from 'ink'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import { CallRowView, type CallRowViewProps } from './call-row-view.tsx'
import { fitLine } from './fit-line.ts'
import type { LiveCallTree } from './live-call-tree.ts'
import { planLiveRows } from './plan-live-rows.ts'

export interface LiveCallsProps
  extends Pick<CallRowViewProps, 'runtime' | 'clock' | 'width' | 'theme' | 'isScreenReader' | 'moreHint'> {
  /** Which calls are shown. */
  readonly tree: LiveCallTree
  /** The maximum height. */
  readonly maxRows: number
}

const indentColumns = 2

/** The calls that have not ended, with those inside them indented, in at most `maxRows` rows. */
export function LiveCalls(props: LiveCallsProps): ReactNode {
  const { runtime, tree, clock, width, maxRows, theme, isScreenReader, moreHint } = props
  const live = useSyncExternalStore(tree.subscribe, tree.getTree)
  const rows = useMemo(() => planLiveRows(live, maxRows), [live, maxRows])
  return (
    <Box flexDirection="column">
      {rows.map((row) =>
        row.kind === 'note' ? (
          <Text key={row.key} wrap="truncate-end">
            {theme.muted(fitLine(row.text, width))}
          </Text>
        ) : (
          <CallRowView
            key={row.uid}
            runtime={runtime}
            clock={clock}
            uid={row.uid}
            width={width}
            theme={theme}
            maxLines={row.maxLines}
            isScreenReader={isScreenReader}
            moreHint={moreHint}
            doneInside={row.doneInside}
            isBusyInside={row.isBusyInside}
            indent={width < minIndented ? 0 : row.depth * indentColumns}
          />
        ),
      )}
    </Box>
  )
}

const minIndented = 40
