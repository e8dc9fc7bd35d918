import { spawn } from 'node:child_process'
import { ownPath, ownProgram } from '@curfew/core/internal'
import { loadConfig } from '@curfew/extensions'
import type { SignInPrompt } from '@curfew/mcp'
import { readLine } from '../ask/read-line.ts'
import { withTerminal } from '../ask/with-terminal.ts'
import { clearLine } from '../terminal.ts'

/** Asks on the terminal. The caller has validated the addresses. */
export const signInPrompt: SignInPrompt = {
  async agree({ serverName, url, signal }) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) return false
    const question = `${clearLine}${serverName} (${url.host}) requires you to sign in. Continue? [y/N] `
    const answer = await withTerminal(() => readLine(question, signal))
    return /^y(es)?$/i.test(answer ?? '')
  },
  async open({ url }) {
    process.stderr.write(`${clearLine}If no browser opens, go to:\n  ${url.href}\n`)
    const argv = browserCommand(url.href)
    if (argv === null) return true
    const [program, ...args] = argv
    spawn(program!, args, { stdio: 'ignore', detached: true, env: { ...process.env, PATH: ownPath() } })
      .on('error', () => {})
      .unref()
    return true
  },
}

/** The setting. */
export async function fetchAllow(): Promise<readonly string[]> {
  return (await loadConfig()).agent.fetchAllow
}

/** Runs without a shell, so the address needs no quoting. */
function browserCommand(href: string): readonly string[] | null {
  if (process.platform === 'darwin') return [ownProgram('open'), href]
  if (process.platform === 'win32') return [ownProgram('rundll32'), 'url.dll,FileProtocolHandler', href]
  const hasDisplay = Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY)
  return hasDisplay ? [ownProgram('xdg-open'), href] : null
}
