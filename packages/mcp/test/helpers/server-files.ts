import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigRoots, formatProblem } from '@curfew/extensions'
import { type LoadedServers, loadServers, type ServerConfig } from '@curfew/mcp/config'
import { afterEach, beforeEach, expect } from 'vitest'

export const env = { HOME: '/home/me', TOKEN: 'from-env', NAMED: 'secret:KEY' }

/** Creates an `mcp.json` of a user and one of a trusted project for each test. */
export class ServerFiles {
  folder = ''
  roots: ConfigRoots = { user: '', project: null, projectFolder: '', problems: [] }

  constructor() {
    beforeEach(() => {
      this.folder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-mcp-'))
      const user = join(this.folder, 'home')
      const path = join(this.folder, 'project/.curfew')
      for (const made of [user, path]) mkdirSync(made, { recursive: true })
      const projectFolder = join(this.folder, 'project')
      this.roots = { user, project: { path, trusted: true }, projectFolder, problems: [] }
    })
    afterEach(() => rmSync(this.folder, { recursive: true, force: true }))
  }

  get user(): string {
    return join(this.roots.user, 'mcp.json')
  }

  get project(): string {
    return join(this.roots.project!.path, 'mcp.json')
  }

  /** Writes and loads the user's file, given as its servers or as the whole content. */
  async load(content: object | string, project?: object): Promise<LoadedServers> {
    const text = (servers: object | string): string =>
      typeof servers === 'string' ? servers : JSON.stringify({ mcpServers: servers })
    writeFileSync(this.user, text(content))
    if (project !== undefined) writeFileSync(this.project, text(project))
    return await loadServers(this.roots, env)
  }

  async loadOne(entry: unknown): Promise<{ server: ServerConfig | undefined; problems: string[] }> {
    const { servers, problems } = await this.load({ one: entry })
    expect(problems.every(({ file }) => file === this.user)).toBe(true)
    return {
      server: servers[0],
      problems: problems.map(
        (problem) => `${problem.severity}: ${formatProblem(problem).slice(this.user.length + 2)}`,
      ),
    }
  }
}
