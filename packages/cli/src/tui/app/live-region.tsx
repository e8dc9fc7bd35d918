import { Text } from 'ink'
import { type ReactNode, useSyncExternalStore } from 'react'
import { cut } from '../../terminal.ts'
import { LiveCalls } from '../calls/live-calls.tsx'
import { maxCompletionRows } from '../input/layout-menu.ts'
import { PromptInput } from '../input/prompt-input.tsx'
import { useInputRows } from '../input/use-input-rows.ts'
import type { QuestionPanel } from '../questions/question-panel.ts'
import { QuestionView } from '../questions/question-view.tsx'
import type { SessionState } from '../session/session-state.ts'
import { StatusBar } from '../status/status-bar.tsx'
import type { Layout } from '../transcript/transcript.ts'
import { divideRows } from './divide-rows.ts'
import { MenuView } from './menu-view.tsx'
import { PendingText } from './pending-text.tsx'
import { QueuedPrompts, queuedRows } from './queued-prompts.tsx'
import type { TerminalAppProps } from './terminal-app.tsx'
import { WorkingLine } from './working-line.tsx'

interface LiveRegionProps extends TerminalAppProps {
  readonly state: SessionState
  readonly layout: Layout
  /** Of the terminal. */
  readonly rows: number
}

/** What can still change: the answer being written, running calls, a question, the input, the status line. */
export function LiveRegion({ session, editor, views, state, layout, rows }: LiveRegionProps): ReactNode {
  const { questions: panel = null, calls, clock } = views() ?? {}
  const focus = useSyncExternalStore(
    panel?.subscribe ?? subscribeToNothing,
    () => panel?.getSnapshot()?.focus ?? 'draft',
  )
  const { opened, menu, liveCalls, turn, retry, command, thinking, queued, pending } = state
  // Closing a menu must not answer a question below it, so the question appears afterwards.
  const asking = menu === null ? panel : null
  const asked = useSyncExternalStore(asking?.subscribe ?? subscribeToNothing, () => askedBy(asking))
  const { theme, width } = layout
  const { runningCalls } = session
  const input = {
    width,
    maxRows: Math.max(2, Math.floor(rows / 3)),
    maxMenuRows: Math.min(maxCompletionRows, Math.max(3, rows - 6)),
  }
  const { gaps, ...parts } = divideRows(rows, {
    inputRows: useInputRows(editor, input),
    hasHint: state.hint !== null,
    menuRows: menu === null ? 0 : Math.min(Math.floor(rows / 2), menu.entries.length + 2),
    hasQuestion: asked !== null,
    isExpanded: asked === 'expanded',
    queuedRows: queuedRows(queued.length),
    // The question says who waits for whom.
    isWorking: asked === null && (turn !== null || retry !== null || command !== null),
    hasCalls: liveCalls.length > 0,
    hasPending: pending !== null,
  })
  return (
    <>
      <PendingText block={pending} hasGap={state.isNewAnswer} layout={layout} maxRows={parts.pending} />
      {gaps.calls && <Text> </Text>}
      {calls !== undefined && clock !== undefined && opened !== null && parts.calls > 0 && (
        <LiveCalls
          runtime={opened.runtime}
          tree={calls}
          clock={clock}
          width={width}
          maxRows={parts.calls}
          theme={theme}
        />
      )}
      {parts.working > 0 && (
        <WorkingLine
          turn={turn}
          retry={retry}
          command={command}
          thinking={thinking}
          isWriting={pending !== null}
          hasCalls={runningCalls.length > 0}
          layout={layout}
        />
      )}
      {parts.queued > 0 && <QueuedPrompts queued={queued} layout={layout} maxRows={parts.queued} />}
      {gaps.question && <Text> </Text>}
      {asking !== null && parts.question > 0 && (
        <QuestionView panel={asking} width={width} maxRows={parts.question} theme={theme} />
      )}
      {menu !== null && <MenuView menu={menu} layout={layout} maxRows={parts.menu} />}
      {gaps.input && <Text> </Text>}
      <PromptInput
        {...input}
        editor={editor}
        theme={theme}
        isFocused={focus === 'draft' && menu === null}
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
    </>
  )
}

function askedBy(panel: QuestionPanel | null): 'question' | 'expanded' | null {
  const snapshot = panel?.getSnapshot() ?? null
  return snapshot === null ? null : snapshot.isExpanded ? 'expanded' : 'question'
}

function subscribeToNothing(): () => void {
  return () => {}
}

function startingText(what: string | null): string {
  return what === null ? 'starting …' : `waiting for ${what} …`
}
