import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

type Servers = Record<string, Record<string, unknown>>

/** A home and a project with agents' files, and the imported servers. */
export class ImportFolders {
  home = ''
  project = ''

  get environment(): Record<string, string> {
    return {
      HOME: this.home,
      XDG_CONFIG_HOME: '',
      CURFEW_TRUST: '',
      CODEX_HOME: '',
      CLAUDE_CONFIG_DIR: '',
      OPENCODE_CONFIG: '',
      CURFEW_SECRET_STORE: 'file',
      CURFEW_PASSPHRASE: '',
      // A passphrase takes half a second per secret.
      CURFEW_KEY_FILE: join(this.home, 'key'),
    }
  }

  run(...args: string[]): Promise<Ended> {
    return runCurfew(args, this.environment, this.project)
  }

  import(...args: string[]): Promise<Ended> {
    return this.run('mcp', 'import', ...args)
  }

  /** Writes a file in the home folder, or in the project if the path starts with `./`. */
  write(path: string, content: unknown): string {
    const file = path.startsWith('./') ? join(this.project, path) : join(this.home, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
    return file
  }

  get userServers(): Servers {
    return serversIn(join(this.home, '.config/curfew/mcp.json'))
  }

  get projectServers(): Servers {
    return serversIn(join(this.project, '.curfew/mcp.json'))
  }

  /** The names and uses of the stored secrets. */
  async secrets(): Promise<unknown> {
    const { stdout } = await this.run('secret', 'list', '--json')
    return JSON.parse(stdout).secrets
  }
}

export function importFolders(): ImportFolders {
  const folders = new ImportFolders()
  temporaryFolders(({ home, project }) => {
    Object.assign(folders, { home, project })
    writeFileSync(join(home, 'key'), Buffer.alloc(32, 7), { mode: 0o600 })
  })
  return folders
}

function serversIn(file: string): Servers {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).mcpServers : {}
}
