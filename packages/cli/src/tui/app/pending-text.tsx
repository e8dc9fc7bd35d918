import { Text } from 'ink'
import { memo, type ReactNode } from 'react'
import type { MarkdownBlock } from '../markdown/markdown-block.ts'
import { renderBlock } from '../markdown/render-block.ts'
import type { Layout } from '../transcript/transcript.ts'

interface PendingTextProps {
  readonly block: MarkdownBlock | null
  /** A blank row separates it from what is above. */
  readonly hasGap: boolean
  readonly layout: Layout
  readonly maxRows: number
}

/** The end of what the model is writing. */
export const PendingText: (props: PendingTextProps) => ReactNode = memo(function PendingText({
  block,
  hasGap,
  layout,
  maxRows,
}: PendingTextProps): ReactNode {
  if (block === null || maxRows === 0) return null
  const lines = renderBlock(block, layout)
  return <Text>{[...(hasGap ? [''] : []), ...lines].slice(-maxRows).join('\n')}</Text>
})
