import { ownProgram, runProcess } from '@curfew/core/internal'
import type { SandboxMode } from './sandbox.ts'
import { isolationOptions } from './sandbox-arguments.ts'

/** Only a machine that hangs takes longer. */
const timeoutMs = 10_000

const checks = new Map<string, Promise<string | null>>()

/** Why commands cannot run in a sandbox on this machine; `null` if they can. bubblewrap is run once, and the answer is kept. */
export function checkSandbox(mode: Exclude<SandboxMode, 'none'>): Promise<string | null> {
  const checked = checks.get(mode) ?? runOnce(mode === 'workspace-offline')
  checks.set(mode, checked)
  return checked
}

async function runOnce(offline: boolean): Promise<string | null> {
  if (process.platform !== 'linux') return 'bubblewrap exists only for Linux'
  const { outcome, exitCode, stderr, error } = await runProcess({
    argv: [ownProgram('bwrap'), ...isolationOptions(offline), '--', '/bin/sh', '-c', 'exit 0'],
    timeoutMs,
  })
  if (outcome === 'exited' && exitCode === 0) return null
  if (error?.code === 'ENOENT') return 'bubblewrap (bwrap) is not installed; install the package bubblewrap'
  if (outcome === 'timed_out') return `bubblewrap did not end within ${timeoutMs / 1_000} s`
  const reason = stderr.toString().trim() || error?.message || `it exited with code ${exitCode}`
  return `bubblewrap (bwrap) is installed, but does not work: ${reason}; user namespaces have to be allowed`
}
