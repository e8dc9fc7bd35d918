import { Static, Text } from 'ink'
import { memo, type ReactNode, useSyncExternalStore } from 'react'
import type { Layout, Transcript } from '../transcript/transcript.ts'

/** Finished items: printed once, above the live region. */
export const Printed: (props: { transcript: Transcript; layout: Layout }) => ReactNode = memo(
  function Printed({ transcript, layout }: { transcript: Transcript; layout: Layout }): ReactNode {
    const { generation, items } = useSyncExternalStore(transcript.subscribe, transcript.getSnapshot)
    return (
      <Static key={generation} items={items as (typeof items)[number][]}>
        {(item) => <Text key={item.id}>{item.lines(layout).join('\n')}</Text>}
      </Static>
    )
  },
)
