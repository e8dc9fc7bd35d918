import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect } from 'vitest'
import type {
  ModelServer,
  ModelServerOptions,
} from '../../../../packages/torture/src/model-server/start-model-server.ts'
import { newTag, untilNoneLeft } from '../../../../test/support/processes.ts'
import { PromptSetup } from '../prompt-support.ts'
import { type TerminalSize, TmuxTerminal } from '../tmux-terminal.ts'
import { normaliseScreen } from './normalise-screen.ts'

const bin = fileURLToPath(new URL('../../bin/curfew.cjs', import.meta.url))

interface StartOptions extends TerminalSize {
  /** Typed after `curfew`. */
  readonly args?: string
  readonly env?: Readonly<Record<string, string>>
  readonly format?: ModelServerOptions['format']
  /** For the user's `config.json`. */
  readonly config?: object
}

export interface Started {
  readonly terminal: TmuxTerminal
  readonly server: ModelServer
}

/** Runs `curfew` in a terminal as a person would, in a temporary project, against a scripted model. */
export class TerminalSetup extends PromptSetup {
  readonly #opened: { terminal: TmuxTerminal; tag: string }[] = []

  constructor() {
    super()
    // Runs before the servers are closed and the folders removed, because the last registered hook is the first.
    afterEach(async () => {
      for (const { terminal, tag } of this.#opened.splice(0)) {
        terminal.close()
        // Otherwise they could still write to folders that are being removed.
        await untilNoneLeft(tag, 60_000)
      }
    })
  }

  /** A shell in which `curfew` is a command. */
  open({ env = {}, ...size }: Pick<StartOptions, 'env'> & TerminalSize = {}): TmuxTerminal {
    const folder = join(this.home, 'bin')
    const program = join(folder, 'curfew')
    mkdirSync(folder, { recursive: true })
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`)
    chmodSync(program, 0o755)
    const tag = newTag()
    const path = `${folder}:${process.env.PATH}`
    const terminal = new TmuxTerminal(
      this.project,
      { ...this.environment(), PATH: path, CURFEW_TEST_TAG: tag, ...env },
      size,
    )
    this.#opened.push({ terminal, tag })
    return terminal
  }

  /** Starts `curfew` with a scripted model, and waits until it is ready for input. */
  async launch(
    script: ModelServerOptions['script'],
    { args = '', config = {}, format = 'openai', ...options }: StartOptions = {},
  ): Promise<Started> {
    const { server, model } = await this.serve(script, format)
    this.writeUser('config.json', { model, ...config })
    const terminal = this.open(options)
    await terminal.shows(/^\$ *$/m)
    terminal.enter(`clear; curfew ${args}`)
    await terminal.shows(started)
    return { terminal, server }
  }

  /** Compares a screen with a file of `screens/`. CONTRIBUTING.md tells how to update them. */
  async expectScreen(
    screen: string,
    name: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<void> {
    const names = { [this.project]: '/project', [this.home]: '/home', ...more }
    await expect(normaliseScreen(screen, names)).toMatchFileSnapshot(`./screens/${name}.txt`)
  }

  /** All files below the home folder, as one string: sessions, histories, logs. */
  stored(): string {
    const files = readdirSync(this.home, { recursive: true, withFileTypes: true })
    return files
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'))
      .join('\n')
  }
}

/** The mode in the status line: it is shown once the agent is open. */
const started = /ask before changes|edits allowed|plan only/

/**
 * Waits for a question that can be answered, and returns the screen. Before that, keys do not answer it, and it is drawn differently: the
 * mark of the selected answer is not bold, and a field has no cursor.
 */
export async function asked(terminal: TmuxTerminal, expected: RegExp): Promise<string> {
  await terminal.shows(expected)
  await terminal.showsStyled(ready)
  return terminal.screen()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles
const ready = /\x1b\[(?:\d+;)*1m(?:\x1b\[[\d;]*m)*❯ \d\.|❯ [^\n]*\x1b\[(?:\d+;)*7m/
