import { Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { renderMarkdown } from '../markdown/render-markdown.ts'
import type { Layout } from '../transcript/transcript.ts'

interface PendingTextProps {
  /** Markdown that is not complete. */
  readonly source: string
  readonly layout: Layout
  readonly maxRows: number
}

/** The end of what the model is writing. */
export const PendingText: (props: PendingTextProps) => ReactNode = memo(function PendingText({
  source,
  layout,
  maxRows,
}: PendingTextProps): ReactNode {
  if (source.trim() === '') return null
  const lines = renderMarkdown(source, layout)
  return <Text>{['', ...lines.slice(-maxRows)].join('\n')}</Text>
})
