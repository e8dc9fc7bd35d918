import { spawn } from 'node:child_process'
import type { OpenSignIn } from '@curfew/mcp'
import { clearLine } from '../terminal.ts'

/** Shows the sign-in address, and opens it in a browser if there is a display. The caller has validated the address. */
export const openSignIn: OpenSignIn = async ({ serverName, url }) => {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  process.stderr.write(
    `${clearLine}${serverName} requires you to sign in. If no browser opens, go to:\n  ${url.href}\n`,
  )
  const argv = browserCommand(url.href)
  if (argv === null) return true
  const [program, ...args] = argv
  spawn(program!, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref()
  return true
}

/** Runs without a shell, so the address needs no quoting. */
function browserCommand(href: string): readonly string[] | null {
  if (process.platform === 'darwin') return ['open', href]
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', href]
  const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  return hasDisplay ? ['xdg-open', href] : null
}
