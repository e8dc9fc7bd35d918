import { clearLine, oneLine } from '../terminal.ts'

/** Reports on standard error that a server is still being downloaded. */
export function showDownload(message: string): void {
  const clear = process.stderr.isTTY ? clearLine : ''
  process.stderr.write(`${clear}${oneLine(message)}\n`)
}
