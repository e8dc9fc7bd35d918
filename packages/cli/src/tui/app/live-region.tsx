import { Text } from 'ink'
import { memo, type ReactNode, useEffect, useReducer, useSyncExternalStore } from 'react'
import { cut } from '../../terminal.ts'
import { LiveCalls } from '../calls/live-calls.tsx'
import { tailLines } from '../calls/row-details.ts'
import { maxCompletionRows } from '../input/layout-menu.ts'
import { PromptInput } from '../input/prompt-input.tsx'
import { useInputRows } from '../input/use-input-rows.ts'
import type { MarkdownBlock } from '../markdown/markdown-block.ts'
import { renderBlock } from '../markdown/render-block.ts'
import type { QuestionPanel } from '../questions/question-panel.ts'
import { QuestionView } from '../questions/question-view.tsx'
import type { SessionState } from '../session/session-state.ts'
import { StatusBar } from '../status/status-bar.tsx'
import { type Working, workingText } from '../status/working-text.ts'
import type { Layout } from '../transcript/transcript.ts'
import { divideRows } from './divide-rows.ts'
import { MenuView } from './menu-view.tsx'
import type { TerminalAppProps } from './terminal-app.tsx'

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
  const executing = runningCalls.filter(({ status }) => status === 'executing').length
  const tasks = session.backgroundTasks.length
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
    // A line about the batch, and the output of those that run.
    callRows: liveCalls.length === 0 ? 0 : 1 + liveCalls.length + (executing + tasks) * (tailLines + 1),
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
          running={executing}
          background={tasks}
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

interface QueuedPromptsProps {
  readonly queued: readonly string[]
  readonly layout: Layout
  readonly maxRows: number
}

const maxShown = 3

/** What was typed during the turn and has not been sent. */
const QueuedPrompts: (props: QueuedPromptsProps) => ReactNode = memo(function QueuedPrompts({
  queued,
  layout,
  maxRows,
}: QueuedPromptsProps): ReactNode {
  if (queued.length === 0) return null
  const { width, theme } = layout
  const lines = queued.slice(-Math.max(1, Math.min(maxShown, maxRows - 1))).map((text) => `queued: ${text}`)
  const all = [...lines, '↑ edits the last one · Enter sends now'].slice(0, maxRows)
  return <Text>{all.map((line) => theme.muted(`  ${cut(line, width - 2)}`)).join('\n')}</Text>
})

/** The height that shows what matters. */
function queuedRows(queued: number): number {
  return queued === 0 ? 0 : Math.min(queued, maxShown) + 1
}

interface PendingTextProps {
  readonly block: MarkdownBlock | null
  /** A blank row separates it from what is above. */
  readonly hasGap: boolean
  readonly layout: Layout
  readonly maxRows: number
}

/** The end of what the model is writing. */
const PendingText: (props: PendingTextProps) => ReactNode = memo(function PendingText({
  block,
  hasGap,
  layout,
  maxRows,
}: PendingTextProps): ReactNode {
  if (block === null || maxRows === 0) return null
  const lines = renderBlock(block, layout)
  return <Text>{[...(hasGap ? [''] : []), ...lines].slice(-maxRows).join('\n')}</Text>
})

/** What is going on, with the time that it has taken. */
function WorkingLine({ layout, ...working }: Working & { readonly layout: Layout }): ReactNode {
  const isActive = working.turn !== null || working.retry !== null || working.command !== null
  return isActive ? <TickingLine working={working} layout={layout} /> : null
}

function TickingLine({ working, layout }: { working: Working; layout: Layout }): ReactNode {
  const [, tick] = useReducer((ticks: number) => ticks + 1, 0)
  useEffect(() => {
    const timer = setInterval(tick, 1_000)
    return () => clearInterval(timer)
  }, [])
  const text = workingText(working, Date.now(), layout)
  return text === null ? null : <Text>{text}</Text>
}
