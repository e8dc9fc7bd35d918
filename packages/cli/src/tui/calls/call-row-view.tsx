import { Box, Text } from 'ink'
import { memo, type ReactNode, useMemo, useSyncExternalStore } from 'react'
import type { CallLinesOptions } from './call-lines.ts'
import { CallView } from './call-view.ts'
import type { FrameClock } from './frame-clock.ts'
import type { CallsRuntime } from './live-call-tree.ts'

export interface CallRowViewProps extends Omit<CallLinesOptions, 'now' | 'spinner' | 'isSpread'> {
  readonly runtime: CallsRuntime
  readonly clock: FrameClock
  readonly uid: number
  /** The number of columns to the left. */
  readonly indent?: number | undefined
}

/** A live call: one row, and the end of its output below it. It is rendered again only if what it shows has changed. */
export const CallRowView: React.NamedExoticComponent<CallRowViewProps> = memo(function CallRowView(
  props: CallRowViewProps,
): ReactNode {
  const { runtime, clock, uid, width, theme, maxLines, isScreenReader, moreHint, doneInside, isBusyInside } =
    props
  const { indent = 0 } = props
  const view = useMemo(() => new CallView(runtime, clock, uid), [runtime, clock, uid])
  const options = useMemo(
    () => ({ width: width - indent, theme, maxLines, isScreenReader, moreHint, doneInside, isBusyInside }),
    [width, indent, theme, maxLines, isScreenReader, moreHint, doneInside, isBusyInside],
  )
  const text = useSyncExternalStore(view.subscribe, () => view.text(options))
  return <TextLines text={text} indent={indent} />
})

/** Lines that already fit. Each is its own element, so that a terminal that counts columns differently cuts only that one. */
export function TextLines({
  text,
  indent = 0,
}: {
  readonly text: string
  readonly indent?: number
}): ReactNode {
  return (
    <Box flexDirection="column" marginLeft={indent}>
      {text.split('\n').map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <Text key={index} wrap="truncate-end">
          {line || ' '}
        </Text>
      ))}
    </Box>
  )
}
