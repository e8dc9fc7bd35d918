import { spawn } from 'node:child_process'
import type { OpenSignIn } from '@curfew/mcp'
import { clearLine } from '../terminal.ts'

/** Shows where to sign in, and opens it where there is a screen. The address was looked at: it is a web page. */
export const openSignIn: OpenSignIn = async ({ serverName, url }) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  process.stderr.write(
    `${clearLine}${serverName} wants you to sign in. If no browser opens, go to:\n  ${url.href}\n`,
  )
  const argv = browserCommand(url.href)
  if (argv === null) return true
  const [program, ...args] = argv
  spawn(program!, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
  return true
}

/** No shell looks at the address. */
function browserCommand(href: string): readonly string[] | null {
  if (process.platform === 'darwin') return ['open', href]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', href]
  const hasScreen = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  return hasScreen ? ['xdg-open', href] : null
}
