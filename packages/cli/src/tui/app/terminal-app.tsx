import { CurfewProvider } from '@curfew/react'
import { useApp, useInput, usePaste, useWindowSize } from 'ink'
import { type ReactNode, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { CallRecords } from '../calls/call-records.ts'
import { CallsScreen } from '../calls/calls-screen.tsx'
import type { CallsScreenStore } from '../calls/calls-screen-store.ts'
import type { FrameClock } from '../calls/frame-clock.ts'
import type { LiveCallTree } from '../calls/live-call-tree.ts'
import type { InputEditor } from '../input/input-editor.ts'
import type { KeyRouter } from '../keys/key-router.ts'
import type { QuestionPanel } from '../questions/question-panel.ts'
import type { TerminalSession } from '../session/terminal-session.ts'
import type { TerminalScreen } from '../terminal/terminal-screen.ts'
import { createTheme } from '../theme/theme.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { freeRows } from './divide-rows.ts'
import { LiveRegion } from './live-region.tsx'
import { Printed } from './printed.tsx'

export interface TerminalAppProps {
  readonly session: TerminalSession
  readonly transcript: Transcript
  readonly editor: InputEditor
  readonly router: KeyRouter
  readonly screen: Pick<TerminalScreen, 'theme' | 'setSuspendTerminal'>
  /** `null` before the agent has a runtime. */
  readonly views: () => Views | null
}

/** What is shown of an agent. */
export interface Views {
  readonly calls: LiveCallTree
  readonly records: CallRecords
  /** `/calls`, while it is open. */
  callsScreen: CallsScreenStore | null
  readonly clock: FrameClock
  readonly questions: QuestionPanel
}

/** The whole screen: what is finished above, and the live region below. */
export function TerminalApp(props: TerminalAppProps): ReactNode {
  const { session, transcript, router, screen } = props
  const { suspendTerminal } = useApp()
  const { columns, rows } = useWindowSize()
  const state = useSyncExternalStore(session.state.subscribe, session.state.getSnapshot)
  useInput((input, key) => router.handleKey(input, key))
  usePaste((text) => router.paste(text))
  useEffect(() => screen.setSuspendTerminal(suspendTerminal), [screen, suspendTerminal])
  const theme = useMemo(() => createTheme(state.theme, screen.theme.colors), [state.theme, screen])
  const { highlighter } = state
  const layout = useMemo(() => ({ width: columns, theme, highlighter }), [columns, theme, highlighter])
  const { opened } = state
  const views = props.views()
  const region =
    state.screen === 'calls' && views?.callsScreen != null && opened !== null ? (
      <CallsScreen
        screen={views.callsScreen}
        runtime={opened.runtime}
        clock={views.clock}
        width={columns}
        height={Math.max(4, rows - freeRows)}
        theme={theme}
      />
    ) : state.screen === 'lent' || state.isClosing ? null : (
      <LiveRegion {...props} state={state} layout={layout} rows={rows} />
    )
  return (
    <>
      <Printed transcript={transcript} layout={layout} />
      {opened === null ? (
        region
      ) : (
        <CurfewProvider runtime={opened.runtime} agent={opened.agent}>
          {region}
        </CurfewProvider>
      )}
    </>
  )
}
