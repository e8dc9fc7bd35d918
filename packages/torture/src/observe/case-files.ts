import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findByCommandLine, isRunning, type Process } from './processes.ts'

export interface Event {
  readonly ms: number
  readonly pid: number
  readonly name: string
  readonly detail: unknown
}

/** The files of one case: an empty folder for the product, and what the suite's tools and processes write. */
export class CaseFiles {
  readonly root: string
  /** Empty at first. */
  readonly folder: string
  /** For temporary files. */
  readonly temporary: string
  readonly events: string
  readonly roster: string

  constructor() {
    this.root = mkdtempSync(join(tmpdir(), 'tool-torture-'))
    this.folder = join(this.root, 'work')
    mkdirSync(this.folder)
    this.temporary = join(this.root, 'tmp')
    mkdirSync(this.temporary)
    this.events = join(this.root, 'events')
    this.roster = join(this.root, 'roster')
  }

  readEvents(name?: string): Event[] {
    if (!existsSync(this.events)) return []
    const events = readFileSync(this.events, 'utf8')
      .split('\n')
      // The last line of a process that was killed may be cut.
      .flatMap((line): Event[] => {
        try {
          return [JSON.parse(line) as Event]
        } catch {
          return []
        }
      })
    return name === undefined ? events : events.filter((event) => event.name === name)
  }

  /** The hostile processes that are still running: those in the roster, and those that name it in their command line. */
  survivors(): Process[] {
    const named = findByCommandLine(this.roster)
    return [
      ...named,
      ...this.enrolled().filter((one) => isRunning(one) && !named.some(({ pid }) => pid === one.pid)),
    ]
  }

  /** All hostile processes that ever started. */
  enrolled(): Process[] {
    if (!existsSync(this.roster)) return []
    return readFileSync(this.roster, 'latin1')
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [pid, startTime] = line.split(' ')
        return { pid: Number(pid), startTime: startTime! }
      })
  }

  removeTemporary(): void {
    rmSync(this.temporary, { recursive: true, force: true })
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
