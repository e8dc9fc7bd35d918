import { Text } from 'ink'
import { type ReactElement, useEffect, useSyncExternalStore } from 'react'
import { cut } from '../../terminal.ts'
import type { Theme } from '../theme/theme.ts'
import { layoutQuestion } from './question-lines.ts'
import type { QuestionPanel } from './question-panel.ts'

const tooSmall = 'Make the window larger: there is a question.'

export interface QuestionViewProps {
  readonly panel: QuestionPanel
  readonly width: number
  readonly maxRows: number
  readonly theme: Theme
}

/** The open question of a panel, if any. While it is mounted and there is enough room, the question counts as visible. */
export function QuestionView({ panel, width, maxRows, theme }: QuestionViewProps): ReactElement | null {
  const snapshot = useSyncExternalStore(panel.subscribe, panel.getSnapshot)
  const id = snapshot?.question.id ?? null
  const layout = snapshot === null ? null : layoutQuestion(snapshot, { width, maxRows, theme })
  const isReadable = layout?.isReadable ?? false
  useEffect(() => {
    if (id === null || !isReadable) return
    panel.setVisible(id, true)
    return () => panel.setVisible(id, false)
  }, [panel, id, isReadable])
  useEffect(() => {
    if (layout !== null) panel.setPage(layout.page)
  })
  if (layout === null) return null
  return <Text>{layout.isReadable ? layout.lines.join('\n') : theme.warning(cut(tooSmall, width))}</Text>
}
