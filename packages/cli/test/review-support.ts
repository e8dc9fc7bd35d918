import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Ended, runCurfew } from './run-curfew.ts'

/** A temporary home directory with files, in which reviews run. */
export class ReviewHome {
  readonly path: string

  constructor(path: string) {
    this.path = path
  }

  get environment(): Record<string, string> {
    return { HOME: this.path, XDG_CONFIG_HOME: '', CURFEW_TRUST: '', CURFEW_SECRET_STORE: 'file' }
  }

  file(path: string, content: unknown): void {
    const to = join(this.path, path)
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }

  async review(...args: string[]): Promise<Ended> {
    return await runCurfew(['review', ...args], this.environment, this.path)
  }
}
