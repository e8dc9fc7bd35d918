import { clearLine, oneLine } from '../terminal.ts'

/** Says on standard error that a server is still being downloaded: the first time may take minutes. */
export function showDownload(message: string): void {
  const clear = process.stderr.isTTY ? clearLine : ''
  process.stderr.write(`${clear}${oneLine(message)}\n`)
}
