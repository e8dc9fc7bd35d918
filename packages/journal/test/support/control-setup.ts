import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type Runtime, type RuntimeOptions } from '@curfew/core'
import { afterEach, beforeEach } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { type ControlOptions, type StartedControl, startControl } from '../../src/control/start-control.ts'

/** The folder of the current test. */
export let folder = ''

const opened: { close(): unknown }[] = []

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-control-'))
})

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Closes it after the test, before those that were opened earlier. */
export function closeLater<T extends { close(): unknown }>(one: T): T {
  opened.push(one)
  return one
}

export interface TestControl extends StartedControl {
  readonly path: string
  readonly runtime: Runtime
  readonly warnings: readonly string[]
}

/** A control socket in a folder of the test, with a runtime whose calls have ids such as `m4tq-1`. */
export async function openControl(
  { run = 'm4tq', ...options }: Partial<Omit<ControlOptions, 'run'>> & { readonly run?: string } = {},
  runtimeOptions: RuntimeOptions = {},
): Promise<TestControl> {
  const runtime = closeLater(
    createRuntime({ log: () => {}, approval: { default: 'allow' }, ...runtimeOptions }),
  )
  const warnings: string[] = []
  const control = startControl({
    stateFolder: join(folder, 'state'),
    run: () => run,
    program: 'test',
    version: '1.2.3',
    project: '/home/me/project',
    ids: {
      idOf: (_, uid) => `${run}-${uid}`,
      find: (id) =>
        id.startsWith(`${run}-`) ? { runtime, uid: Number(id.slice(run.length + 1)) } : undefined,
    },
    warn: (message) => warnings.push(message),
    env: {},
    ...options,
  })
  closeLater(control)
  control.attach(runtime)
  return { ...control, path: (await control.opened()) ?? '', runtime, warnings }
}

/** A client that sends any bytes. */
export class RawControlClient {
  readonly socket: Socket
  readonly lines: string[] = []
  isClosed = false
  #rest = ''

  constructor(path: string) {
    this.socket = closeLater(Object.assign(connect(path), { close: () => this.socket.destroy() }))
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
    this.socket.on('data', (chunk) => {
      const parts = (this.#rest + chunk).split('\n')
      this.#rest = parts.pop()!
      this.lines.push(...parts)
    })
  }

  async connected(): Promise<this> {
    await once(this.socket, 'connect')
    return this
  }

  send(...messages: unknown[]): void {
    for (const message of messages)
      this.socket.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`)
  }

  get messages(): Record<string, unknown>[] {
    return this.lines.map((line) => JSON.parse(line))
  }

  /** Sends a message and waits for one more line than before. */
  async ask(message: unknown): Promise<Record<string, unknown>> {
    const before = this.lines.length
    this.send(message)
    await until(() => this.lines.length > before)
    return this.messages[before]!
  }
}
