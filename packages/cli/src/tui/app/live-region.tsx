import { Box, Text } from 'ink'
import { type ReactNode, useSyncExternalStore } from 'react'
import { cut } from '../../terminal.ts'
import { LiveCalls } from '../calls/live-calls.tsx'
import { PromptInput } from '../input/prompt-input.tsx'
import { QuestionView } from '../questions/question-view.tsx'
import type { SessionState } from '../session/session-state.ts'
import { StatusBar } from '../status/status-bar.tsx'
import type { Layout } from '../transcript/transcript.ts'
import { MenuView } from './menu-view.tsx'
import { PendingText } from './pending-text.tsx'
import { QueuedPrompts } from './queued-prompts.tsx'
import type { TerminalAppProps } from './terminal-app.tsx'
import { WorkingLine } from './working-line.tsx'

interface LiveRegionProps extends TerminalAppProps {
  readonly state: SessionState
  readonly layout: Layout
  /** Of the terminal. The region must be lower: a higher one is drawn anew in every frame. */
  readonly rows: number
}

/** What can still change: the answer being written, running calls, a question, the input, the status line. */
export function LiveRegion({ session, editor, views, state, layout, rows }: LiveRegionProps): ReactNode {
  const { questions: panel = null, calls, clock } = views() ?? {}
  const focus = useSyncExternalStore(
    panel?.subscribe ?? subscribeToNothing,
    () => panel?.getSnapshot()?.focus ?? 'draft',
  )
  const { opened, menu, liveCalls, turn, retry, command, thinking, queued } = state
  const { theme, width } = layout
  const { runningCalls } = session
  // Closing a menu must not answer a question below it, so the question appears afterwards.
  const asking = menu === null ? panel : null
  const isAnswering = asking !== null && focus === 'question'
  const inputRows = isAnswering ? 1 : Math.max(2, Math.floor(rows / 3))
  // Besides the question: a blank line, the input, a hint, the status line.
  const questionRows = rows - 3 - inputRows - (state.hint === null ? 0 : 1)
  return (
    <Box flexDirection="column" maxHeight={rows - 1}>
      <Box flexDirection="column" flexShrink={1} overflow="hidden" justifyContent="flex-end">
        {/* Otherwise its rows would be drawn over each other. */}
        <Box flexDirection="column" flexShrink={0}>
          <PendingText block={state.pending} layout={layout} maxRows={Math.floor(rows / 3)} />
          {liveCalls.length > 0 && <Text> </Text>}
          {calls !== undefined && clock !== undefined && opened !== null && (
            <LiveCalls
              runtime={opened.runtime}
              tree={calls}
              clock={clock}
              width={width}
              maxRows={Math.max(4, Math.floor(rows / 2))}
              theme={theme}
            />
          )}
          <WorkingLine
            turn={turn}
            retry={retry}
            command={command}
            thinking={thinking}
            hasCalls={runningCalls.length > 0}
            queued={queued.length}
            layout={layout}
          />
          <QueuedPrompts queued={queued} layout={layout} />
        </Box>
      </Box>
      <Box flexDirection="column" flexShrink={0}>
        {asking !== null && (
          <QuestionView panel={asking} width={width} maxRows={questionRows} theme={theme} />
        )}
        {menu !== null && <MenuView menu={menu} layout={layout} maxRows={Math.floor(rows / 2)} />}
        <Text> </Text>
        <PromptInput
          editor={editor}
          theme={theme}
          width={width}
          isFocused={focus === 'draft' && menu === null}
          maxRows={inputRows}
          placeholder={liveCalls.length > 0 || turn !== null ? '' : 'Ask something, or / for commands'}
        />
        {state.hint !== null && <Text>{theme.warning(cut(state.hint, width))}</Text>}
        {opened === null ? (
          <Text>{theme.muted(cut(startingText(state.startingWith), width))}</Text>
        ) : (
          <StatusBar
            opened={opened}
            layout={layout}
            isWorking={turn !== null}
            running={runningCalls.filter(({ status }) => status === 'executing').length}
            background={session.backgroundTasks.length}
            warnings={state.warnings.length}
          />
        )}
      </Box>
    </Box>
  )
}

function subscribeToNothing(): () => void {
  return () => {}
}

function startingText(what: string | null): string {
  return what === null ? 'starting …' : `waiting for ${what} …`
}
