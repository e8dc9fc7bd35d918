import { execFileSync } from 'node:child_process'

/** Runs a module with arguments, without the privileges of root, who can read and write everything, and returns its output. */
export function runUnprivileged(program: string, ...args: string[]): string {
  const node = [process.execPath, '--input-type=module', '-e', program, ...args]
  const isRoot = process.getuid?.() === 0
  const command = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search', ...node] : node
  return execFileSync(command[0]!, command.slice(1), { encoding: 'utf8', cwd: import.meta.dirname })
}
