import type { ChildProcess } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect } from 'vitest'
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
  testKey,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { type Ended, ending, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

type Format = ModelServerOptions['format']

const names: Readonly<Record<Format, string>> = {
  google: 'google:gemini-3-pro-preview',
  anthropic: 'anthropic:claude-sonnet-4-5',
  openai: 'openai-compatible:test-model',
}

/** Runs the built `curfew -p` in a temporary project, against servers that speak the protocols of providers. */
export class PromptSetup {
  home = ''
  project = ''
  readonly #servers: ModelServer[] = []

  constructor() {
    temporaryFolders((folders) => Object.assign(this, folders))
    afterEach(async () => {
      await Promise.all(this.#servers.splice(0).map((server) => server.close()))
    })
  }

  async serve(script: ModelServerOptions['script'], format: Format = 'openai'): Promise<Served> {
    const server = await startModelServer({ format, script, requiresKey: format !== 'openai' })
    this.#servers.push(server)
    return { server, model: `${names[format]}@${server.url}` }
  }

  start(
    args: readonly string[],
    stdin: 'ignore' | 'pipe' = 'ignore',
    env: Record<string, string> = {},
  ): ChildProcess {
    return startCurfew(args, { ...this.environment(), ...env }, this.project, stdin)
  }

  async run(...args: readonly string[]): Promise<Ended> {
    return await ending(this.start(args))
  }

  /** Runs `curfew -p` with a new server. Fails if the provider would reject one of the requests. */
  async prompt(script: ModelServerOptions['script'], ...args: readonly string[]): Promise<Ended & Served> {
    const served = await this.serve(script)
    const ended = await this.run(...args, '--model', served.model)
    expect(problemsOf(served)).toEqual([])
    return { ...ended, ...served }
  }

  environment(): Record<string, string> {
    return {
      HOME: this.home,
      XDG_CONFIG_HOME: '',
      XDG_STATE_HOME: '',
      CURFEW_TRUST: '1',
      CURFEW_SECRET_STORE: 'file',
      CURFEW_PASSPHRASE: 'of the tests',
      OPENAI_API_KEY: '',
      ANTHROPIC_API_KEY: testKey,
      GEMINI_API_KEY: testKey,
    }
  }

  /** Writes a file of the project's `.curfew`. */
  write(path: string, content: string | object): void {
    const file = join(this.project, '.curfew', path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }

  /** Writes a file of the user's configuration. */
  writeUser(path: string, content: string | object): void {
    const file = join(this.home, '.config/curfew', path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  }

  /** Adds `script_<name>`, a shell script. */
  script(name: string, body: string, more: object = {}): void {
    const folder = `extensions/scripts/${name}`
    this.write(`${folder}/tool.json`, {
      name,
      description: `Run ${name}.`,
      parameters: {
        type: 'object',
        properties: { text: { type: 'string', description: 'A text.', default: '' } },
      },
      ...more,
    })
    this.write(`${folder}/script.sh`, `#!/bin/sh\n${body}\n`)
    chmodSync(join(this.project, '.curfew', folder, 'script.sh'), 0o755)
  }
}

interface Served {
  readonly server: ModelServer
  /** For `--model`. */
  readonly model: string
}

/** Why the provider would have rejected requests. */
export function problemsOf({ server }: Served): readonly string[] {
  return server.requests.flatMap(({ problem }) => problem ?? [])
}

/** The objects of `stream-json`. */
export function linesOf({ stdout }: Pick<Ended, 'stdout'>): readonly Record<string, unknown>[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** A reply with one call. */
export function call(name: string, input: object = {}) {
  return [{ call: { name, input } }] as const
}

export function answer(text: string) {
  return [{ text }] as const
}
