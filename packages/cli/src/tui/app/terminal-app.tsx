import { CurfewProvider } from '@curfew/react'
import { Box, Text, useInput, usePaste, useWindowSize } from 'ink'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import type { InputEditor } from '../input/input-editor.ts'
import { interruptChoices } from '../keys/interrupt-choices.ts'
import type { KeyRouter } from '../keys/key-router.ts'
import type { TerminalSession } from '../session/terminal-session.ts'
import { createTheme } from '../theme/theme.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { InterruptMenuView } from './interrupt-menu.tsx'
import { PendingText } from './pending-text.tsx'
import { Printed } from './printed.tsx'

interface TerminalAppProps {
  readonly session: TerminalSession
  readonly transcript: Transcript
  readonly editor: InputEditor
  readonly router: KeyRouter
  readonly quit: () => void
}

/** The whole screen: what is finished above, and the live region below. */
export function TerminalApp({ session, transcript, editor, router, quit }: TerminalAppProps): ReactNode {
  const { columns, rows } = useWindowSize()
  const state = useSyncExternalStore(session.state.subscribe, session.state.getSnapshot)
  const input = useSyncExternalStore(editor.store.subscribe, editor.store.getSnapshot)
  useInput((input, key) => router.handleKey(input, key))
  usePaste((text) => router.paste(text))
  const theme = useMemo(() => createTheme(state.theme), [state.theme])
  const layout = useMemo(() => ({ width: columns, theme }), [columns, theme])
  return (
    <>
      <Printed transcript={transcript} layout={layout} />
      <PendingText source={state.pending} layout={layout} maxRows={Math.floor(rows / 3)} />
      <Text>{state.liveCalls.join(' ')}</Text>
      {state.menu !== null && (
        <InterruptMenuView
          choices={interruptChoices(session, quit)}
          selected={state.menu.selected}
          layout={layout}
        />
      )}
      <Text>{`> ${input.text}`}</Text>
      <Text>{state.hint ?? ''}</Text>
    </>
  )
}
