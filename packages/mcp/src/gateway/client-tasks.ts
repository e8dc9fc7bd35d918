import type { ClientTask } from './client-task.ts'

/** Per client. */
const maxRunning = 100
const maxKept = 200
const maxKeptBytes = 32 << 20

/** The tasks of all clients. A client sees only its own. */
export class ClientTasks {
  readonly #byOwner = new Map<object, Map<string, ClientTask>>()

  /** Whether this client may have another task. */
  hasRoom(owner: object): boolean {
    return this.list(owner).filter(({ hasEnded }) => !hasEnded).length < maxRunning
  }

  add(owner: object, task: ClientTask): void {
    const tasks = this.#byOwner.get(owner) ?? new Map<string, ClientTask>()
    this.#byOwner.set(owner, tasks)
    tasks.set(task.id, task)
    void task.ended.then(() => this.#prune(tasks))
  }

  get(owner: object, id: string): ClientTask | undefined {
    const task = this.#byOwner.get(owner)?.get(id)
    return task?.isExpired ? undefined : task
  }

  /** The oldest first. */
  list(owner: object): ClientTask[] {
    const tasks = this.#byOwner.get(owner)
    if (tasks === undefined) return []
    this.#prune(tasks)
    return [...tasks.values()]
  }

  /** The client has disconnected, which ends its calls. */
  end(owner: object): void {
    this.#byOwner.delete(owner)
  }

  /** Removes what has expired, and the oldest that have ended if there are too many. */
  #prune(tasks: Map<string, ClientTask>): void {
    let bytes = [...tasks.values()].reduce((sum, task) => sum + task.bytes, 0)
    for (const task of [...tasks.values()].filter(({ hasEnded }) => hasEnded)) {
      if (!task.isExpired && tasks.size <= maxKept && bytes <= maxKeptBytes) continue
      tasks.delete(task.id)
      bytes -= task.bytes
    }
  }
}
