import { stripControlSequences } from '@curfew/core/internal'

/** The first lines: servers report first what is missing, and then its consequences. */
const maxHeadLength = 200
const maxCauseLength = 300
/** The cause and the last lines. */
const maxRestLength = 600

/** Lines that name the root cause; the first one counts. */
const rootCause =
  /Cannot find (?:module|package)|ModuleNotFoundError|ImportError|No module named|command not found|: not found$|No such file or directory|\bENOENT\b|\bEACCES\b|\bEADDRINUSE\b|\bECONNREFUSED\b|\bE404\b|404 Not Found|[Pp]ermission denied|Unable to find image|Unsupported engine/
/** Of several errors, the last one ended the program. */
const anyError =
  /^\s*(?:Uncaught |Caused by: |\[cause\]: )?(?:[\w.]*(?:Error|Exception)\b|(?:npm )?err(?:or)?\b|fatal\b|panic|thread '.*' panicked|Exception in thread)/i

/** Shortens stderr for an error message: without stack frames, with the first and last lines and the one that names the cause. */
export function summarizeStderr(stderr: string): string {
  const lines = withoutFrames(
    stripControlSequences(stderr)
      .split('\n')
      .map((line) => line.trimEnd()),
  )
  const text = lines.join('\n').trim()
  if (text.length <= maxHeadLength + maxRestLength) return text
  const head = firstLines(text)
  const cause = lines.find((line) => rootCause.test(line)) ?? lines.findLast((line) => anyError.test(line))
  const tail = lastLines(text, maxRestLength)
  if (cause === undefined || head.includes(cause) || tail.includes(cause)) return `${head}\n${tail}`
  const named = cause.trim().slice(0, maxCauseLength)
  return `${head}\n...\n${named}\n${lastLines(text, maxRestLength - named.length)}`
}

/** As many whole lines as fit, or the beginning of the first. */
function firstLines(text: string): string {
  const start = text.slice(0, maxHeadLength)
  const end = text.startsWith('\n', maxHeadLength) ? maxHeadLength : start.lastIndexOf('\n')
  return end === -1 ? start : start.slice(0, end)
}

/** As many whole lines as fit, or the end of the last, after what was left out. */
function lastLines(text: string, maxLength: number): string {
  // With the character before it, which may end a line.
  const end = text.slice(-maxLength - 1)
  const start = end.indexOf('\n')
  return start === -1 ? `...${end.slice(1)}` : `...${end.slice(start)}`
}

/** Removes stack frames of JavaScript, Java and Python, with the quoted source lines. */
function withoutFrames(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    const next = lines[index + 1] ?? ''
    const before = lines[index - 1] ?? ''
    const isFrame =
      /^\s+at \S/.test(line) || /^\s*\.\.\. \d+ (?:more|lines matching)/.test(line) || isPythonFrame(line)
    const isQuoted = isPointer(line) || isPointer(next) || (isPythonFrame(before) && /^ {4}/.test(line))
    const isLocation = /:\d+$/.test(line) && isPointer(lines[index + 2] ?? '')
    const isFraming =
      isLocation || /^(?:Traceback \(most recent call last\):|Node\.js v[\d.]+|\})$/.test(line)
    return line !== '' && !isFrame && !isQuoted && !isFraming
  })
}

function isPythonFrame(line: string): boolean {
  return /^\s+File ".*", line \d+/.test(line)
}

/** A line of `^` or `~` below source code. */
function isPointer(line: string): boolean {
  return /^\s*[\^~]+$/.test(line)
}
