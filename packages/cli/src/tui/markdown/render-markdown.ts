import { hang, neutralise } from '../../terminal.ts'
import type { Layout } from '../transcript/transcript.ts'
export function renderMarkdown(text: string, { width }: Layout): string[] {
  return neutralise(text)
    .split('\n')
    .flatMap((line) => hang('', line, width))
}
