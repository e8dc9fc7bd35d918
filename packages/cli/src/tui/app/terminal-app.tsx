import { CurfewProvider } from '@curfew/react'
import { useInput, usePaste, useWindowSize } from 'ink'
import { type ReactNode, useMemo, useSyncExternalStore } from 'react'
import type { InputEditor } from '../input/input-editor.ts'
import type { KeyRouter } from '../keys/key-router.ts'
import type { QuestionPanel } from '../questions/question-panel.ts'
import type { TerminalSession } from '../session/terminal-session.ts'
import { createTheme } from '../theme/theme.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { LiveRegion } from './live-region.tsx'
import { Printed } from './printed.tsx'

export interface TerminalAppProps {
  readonly session: TerminalSession
  readonly transcript: Transcript
  readonly editor: InputEditor
  readonly router: KeyRouter
  readonly questions: () => QuestionPanel | null
}

/** The whole screen: what is finished above, and the live region below. */
export function TerminalApp(props: TerminalAppProps): ReactNode {
  const { session, transcript, router } = props
  const { columns, rows } = useWindowSize()
  const state = useSyncExternalStore(session.state.subscribe, session.state.getSnapshot)
  useInput((input, key) => router.handleKey(input, key))
  usePaste((text) => router.paste(text))
  const theme = useMemo(() => createTheme(state.theme), [state.theme])
  const layout = useMemo(() => ({ width: columns, theme }), [columns, theme])
  const { opened } = state
  const region = <LiveRegion {...props} state={state} layout={layout} rows={rows} />
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
