import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ListedCall } from '../../src/adapter/adapter.ts'
import { isMutant } from './mutation.ts'

interface Entry extends ListedCall {
  readonly id: number
}

/** The calls of all processes, in a file to which each change is appended. */
export class CallList {
  readonly #file: string
  readonly #entries = new Map<number, ListedCall>()
  #lastId = 0

  constructor(folder: string) {
    this.#file = join(folder, 'calls')
    for (const { id, name, status } of readEntries(this.#file)) {
      this.#lastId = Math.max(this.#lastId, id)
      this.#entries.set(id, { name, status: afterCrash(status) })
    }
  }

  add(name: string): (status: ListedCall['status']) => void {
    const id = ++this.#lastId
    return (status) => {
      this.#entries.set(id, { name, status })
      if (isMutant('lists-only-what-runs') && status === 'success')
        this.#write({ id, name, status: 'cancelled' })
      else this.#write({ id, name, status })
    }
  }

  get calls(): readonly ListedCall[] {
    return [...this.#entries.values()]
  }

  /** The folder may have been removed. */
  #write(entry: Entry): void {
    try {
      mkdirSync(dirname(this.#file), { recursive: true })
      appendFileSync(this.#file, `${JSON.stringify(entry)}\n`)
    } catch {}
  }
}

function afterCrash(status: ListedCall['status']): ListedCall['status'] {
  if (status === 'running') return isMutant('lists-lost-calls-as-running') ? 'running' : 'lost'
  return status === 'waiting' && isMutant('waiting-calls-are-lost') ? 'lost' : status
}

function readEntries(file: string): Entry[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line): Entry[] => {
      try {
        return [JSON.parse(line) as Entry]
      } catch {
        return []
      }
    })
}
