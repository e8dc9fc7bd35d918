import { Text } from 'ink'
import { type ReactElement, useEffect, useSyncExternalStore } from 'react'
import type { Theme } from '../theme/theme.ts'
import { layoutQuestion } from './question-lines.ts'
import type { QuestionPanel } from './question-panel.ts'

export interface QuestionViewProps {
  readonly panel: QuestionPanel
  readonly width: number
  readonly maxRows: number
  readonly theme: Theme
}

/** The open question of a panel, if any. While it is mounted, the question counts as visible. */
export function QuestionView({ panel, width, maxRows, theme }: QuestionViewProps): ReactElement | null {
  const snapshot = useSyncExternalStore(panel.subscribe, panel.getSnapshot)
  const id = snapshot?.question.id ?? null
  const layout = snapshot === null ? null : layoutQuestion(snapshot, { width, maxRows, theme })
  useEffect(() => {
    if (id === null) return
    panel.setVisible(id, true)
    return () => panel.setVisible(id, false)
  }, [panel, id])
  useEffect(() => {
    if (layout !== null) panel.setPage(layout.page)
  })
  return layout === null ? null : <Text>{layout.lines.join('\n')}</Text>
}
