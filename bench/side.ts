import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** What a side can be asked to do, by name. Arguments and results cross between processes. */
type Tasks<T> = { readonly [K in keyof T]: (...args: never[]) => Promise<unknown> }

/** In the child: does one task after the other, as it is asked. */
export function serve<T extends Tasks<T>>(tasks: T): void {
  process.on('message', async ({ task, args }: { task: keyof T; args: never[] }) => {
    process.send!({ result: await tasks[task](...args) })
  })
  process.on('disconnect', () => process.exit())
  process.send!('ready')
}

const running = new Map<ChildProcess, NodeJS.Signals>()
process.on('exit', () => {
  for (const [child, signal] of running) child.kill(signal)
})

export interface SideOptions {
  readonly args?: readonly string[]
  /** Its home directory, where it works, and where its temporary files go. */
  readonly home?: string
  /** A command that starts another one, to start it with. */
  readonly under?: readonly string[]
  /** @default 'SIGKILL' */
  readonly endWith?: NodeJS.Signals
}

/** In the parent: a child process that keeps warm while others have their turn. */
export class Side<T extends Tasks<T>> {
  readonly #child: ChildProcess
  readonly #endWith: NodeJS.Signals
  #complaints = ''

  private constructor(child: ChildProcess, endWith: NodeJS.Signals) {
    this.#child = child
    this.#endWith = endWith
    running.set(child, endWith)
    child.on('close', () => running.delete(child))
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#complaints += text
    })
  }

  static async start<T extends Tasks<T>>(
    module: URL,
    { args = [], home, under, endWith = 'SIGKILL' }: SideOptions = {},
  ): Promise<Side<T>> {
    const child = fork(module, args, {
      ...(under && { execPath: under[0], execArgv: [...under.slice(1), process.execPath] }),
      cwd: home,
      env: { ...process.env, ...(home !== undefined && { HOME: home, TMPDIR: home }) },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    const side = new Side<T>(child, endWith)
    await side.#message()
    return side
  }

  get pid(): number {
    return this.#child.pid!
  }

  async ask<K extends keyof T & string>(
    task: K,
    ...args: Parameters<T[K]>
  ): Promise<Awaited<ReturnType<T[K]>>> {
    this.#child.send({ task, args })
    const { result } = (await this.#message()) as { result: Awaited<ReturnType<T[K]>> }
    return result
  }

  stop(): void {
    this.#child.kill(this.#endWith)
  }

  async #message(): Promise<unknown> {
    const settled = new AbortController()
    const { signal } = settled
    try {
      return await Promise.race([
        once(this.#child, 'message', { signal }).then(([message]) => message),
        once(this.#child, 'close', { signal }).then(([code]) => {
          throw new Error(`${this.#child.spawnargs.at(-1)} ended with ${String(code)}\n${this.#complaints}`)
        }),
      ])
    } finally {
      settled.abort()
    }
  }
}
