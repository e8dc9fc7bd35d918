import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** The tasks of a side, by name. Arguments and results are sent between processes. */
type Tasks<T> = { readonly [K in keyof T]: (...args: never[]) => Promise<unknown> }

/** In the child process: runs one task after the other on request. */
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
  /** Its home, working and temporary directory. */
  readonly home?: string
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>
  /** A wrapper command that runs the side. */
  readonly under?: readonly string[]
  /** @default 'SIGKILL' */
  readonly endWith?: NodeJS.Signals
}

/** In the parent process: a child process that stays warm while other sides take their turn. */
export class Side<T extends Tasks<T>> {
  readonly #child: ChildProcess
  readonly #endWith: NodeJS.Signals
  #stderr = ''

  private constructor(child: ChildProcess, endWith: NodeJS.Signals) {
    this.#child = child
    this.#endWith = endWith
    running.set(child, endWith)
    child.on('close', () => running.delete(child))
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk
    })
  }

  static async start<T extends Tasks<T>>(
    module: URL,
    { args = [], home, env = {}, under, endWith = 'SIGKILL' }: SideOptions = {},
  ): Promise<Side<T>> {
    const child = fork(module, args, {
      ...(under && { execPath: under[0], execArgv: [...under.slice(1), process.execPath] }),
      cwd: home,
      env: { ...process.env, ...(home !== undefined && { HOME: home, TMPDIR: home }), ...env },
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

  /** Resolves when it has exited. */
  async end(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.stop()
    if (running.has(this.#child)) await closed
  }

  async #message(): Promise<unknown> {
    const settled = new AbortController()
    const { signal } = settled
    try {
      return await Promise.race([
        once(this.#child, 'message', { signal }).then(([message]) => message),
        once(this.#child, 'close', { signal }).then(([code]) => {
          throw new Error(`${this.#child.spawnargs.at(-1)} exited with ${String(code)}\n${this.#stderr}`)
        }),
      ])
    } finally {
      settled.abort()
    }
  }
}
