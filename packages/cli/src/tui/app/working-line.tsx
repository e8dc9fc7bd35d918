import { Text } from 'ink'
import { type ReactNode, useSyncExternalStore } from 'react'
import { type Working, workingText } from '../status/working-text.ts'
import type { Layout } from '../transcript/transcript.ts'
import { Ticker } from './ticker.ts'

const seconds = new Ticker(1_000)

/** What is going on, with the time that it has taken. */
export function WorkingLine({ layout, ...working }: Working & { readonly layout: Layout }): ReactNode {
  const isActive = working.turn !== null || working.retry !== null || working.command !== null
  return isActive ? <TickingLine working={working} layout={layout} /> : null
}

function TickingLine({ working, layout }: { working: Working; layout: Layout }): ReactNode {
  useSyncExternalStore(seconds.subscribe, seconds.getSnapshot)
  const text = workingText(working, Date.now(), layout)
  return text === null ? null : <Text>{text}</Text>
}
