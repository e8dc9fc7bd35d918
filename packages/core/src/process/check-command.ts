import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/**
 * Throws as `spawn` would if a command cannot be run. For commands run by a wrapper, which could report that only through
 * its exit code. Problems inside the file, such as a missing interpreter, are not detected.
 */
export function checkCommand(command: string, cwd = '.', path = '/usr/local/bin:/usr/bin:/bin'): void {
  const directories = command.includes('/') ? [''] : path.split(delimiter)
  let code = 'ENOENT'
  for (const directory of directories) {
    const found = checkFile(resolve(cwd, join(directory, command)))
    if (found === null) return
    // As in a shell, EACCES takes precedence over ENOENT.
    if (found === 'EACCES') code = found
  }
  throw Object.assign(new Error(`spawn ${command} ${code}`), {
    code,
    syscall: `spawn ${command}`,
    path: command,
  })
}

function checkFile(file: string): 'ENOENT' | 'EACCES' | null {
  try {
    if (!statSync(file).isFile()) return 'EACCES'
    accessSync(file, constants.X_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? 'EACCES' : 'ENOENT'
  }
}
