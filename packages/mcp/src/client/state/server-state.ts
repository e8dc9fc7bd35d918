import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson, messageOf } from '@curfew/core/internal'
import { replaceFile, withLock } from '@curfew/extensions/internal'
import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/client'
import type { ServerConfig } from '../../config/server-config.ts'
import { countWithinLimits } from './count-within-limits.ts'
import { type Pin, readStateFile, type StateFile } from './state-file.ts'

/** What a server said of itself when it last ran. Listing it needs no start. */
export interface ServerListing {
  readonly era: 'legacy' | 'modern'
  readonly protocolVersion: string
  readonly server: Implementation | null
  readonly instructions: string | null
  readonly capabilities: ServerCapabilities
  readonly tools: readonly ToolDefinition[]
  readonly prompts: readonly Prompt[]
  readonly resources: readonly Resource[]
  readonly templates: readonly ResourceTemplateType[]
}

/** A tool whose definition is no longer the one that was seen first. */
export interface ChangedTool {
  readonly name: string
  readonly pinned: ToolDefinition
  readonly current: ToolDefinition
}

/** A server that has new tools all the time must not fill the disk with them. */
const maxPins = 5_000
const maxPinBytes = 16 << 20

const empty: StateFile = { config: '', listing: null, pins: [] }

/**
 * What is remembered of a server: its last listing, and the definitions of its tools as they were first seen. A server
 * keeps its pins whatever its command line becomes; a listing counts only for the configuration that it came from.
 */
export class ServerState {
  readonly file: string
  readonly #config: string
  readonly #server: string
  readonly #report: (problem: string) => void
  #state: StateFile = empty
  #pins: ReadonlyMap<string, Pin> = new Map()
  #changed: readonly ChangedTool[] = []

  private constructor(folder: string, config: ServerConfig, report: (problem: string) => void) {
    const { name, root, target } = config
    this.file = join(folder, `${name}-${hash([root, name]).slice(0, 8)}.json`)
    this.#config = hash(target)
    this.#server = name
    this.#report = report
  }

  /** Never rejects. If there was something that cannot be read, the tools it was about are denied until approved. */
  static async open(
    folder: string,
    config: ServerConfig,
    report: (problem: string) => void = () => {},
  ): Promise<ServerState> {
    const state = new ServerState(folder, config, report)
    const { written, problem } = await readStateFile(state.file)
    if (written === null && problem !== null) await state.#onLost(problem)
    else {
      state.#use(written ?? empty)
      if (written?.lost) state.#tellLost(problem ?? 'its file could not be read')
    }
    return state
  }

  get listing(): ServerListing | null {
    return this.#state.config === this.#config ? this.#state.listing : null
  }

  /** The definition that counts for a tool. */
  pinned(name: string): ToolDefinition | undefined {
    return this.#pins.get(name)?.definition
  }

  /** The tools that are denied until somebody has looked at them. */
  get changed(): readonly ChangedTool[] {
    return this.#changed
  }

  /** Remembers what a server says now, and pins the tools that are new. Rejects if it cannot be written. */
  async remember(listing: ServerListing): Promise<void> {
    await this.#change((state) => {
      const known = new Set(state.pins.map(({ definition }) => definition.name))
      const added = listing.tools.filter(({ name }) => !known.has(name))
      // What cannot be remembered any more is not used either, or it could change unseen.
      const refused = new Set(added.splice(roomFor(added, state.pins)))
      const tools = listing.tools.filter((tool) => !refused.has(tool))
      return {
        config: this.#config,
        listing: { ...listing, tools },
        pins: [...state.pins, ...added.map(state.lost ? lostPin : pin)],
      }
    })
  }

  /** What a person has seen of these is what counts from here on, whatever the server says by now. */
  async approve(seen: readonly ChangedTool[]): Promise<void> {
    const names = new Set(seen.map(({ name }) => name))
    await this.#change((state) => ({
      ...state,
      pins: [
        ...state.pins.filter(({ definition }) => !names.has(definition.name)),
        ...seen.map(({ current }) => pin(current)),
      ],
    }))
  }

  /** Somebody else may have approved meanwhile. What the server says is what it said to us, not to them. */
  async refresh(): Promise<void> {
    const { pins } = await this.#known()
    this.#use({ ...this.#state, pins })
  }

  async #change(change: (state: StateFile) => StateFile): Promise<void> {
    const before = this.#state
    // It counts in this process even if it cannot be written.
    this.#use(change(before))
    try {
      // Mostly a server says what it always said: then nobody has to wait for a lock and for the disk.
      if (await this.#isWritten(before, change)) return
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 })
      await withLock(this.file, async () => {
        this.#use(change(await this.#known(before)))
        await this.#write()
      })
    } catch (error) {
      throw new Error(`${this.file} cannot be written: ${messageOf(error)}`, { cause: error })
    }
  }

  async #isWritten(own: StateFile, change: (state: StateFile) => StateFile): Promise<boolean> {
    const { written, problem } = await readStateFile(this.file)
    if (written === null || problem !== null) return false
    const next = change(merged(written, own))
    if (JSON.stringify(next) !== JSON.stringify(written)) return false
    this.#use(next)
    return true
  }

  /** What the file says, and what could not be written into it. */
  async #known(own = this.#state): Promise<StateFile> {
    const { written } = await readStateFile(this.file)
    return written === null ? own : merged(written, own)
  }

  /** Kept for whoever wants to look, and remembered: the next one who opens it must not take it for never seen. */
  async #onLost(problem: string): Promise<void> {
    this.#use({ ...empty, lost: true })
    this.#tellLost(problem)
    await withLock(this.file, async () => {
      // Somebody else may have done it meanwhile.
      const { written } = await readStateFile(this.file)
      if (written !== null) return this.#use(written)
      const aside = `${this.file}.unreadable`
      await rm(aside, { recursive: true, force: true })
      await rename(this.file, aside)
      await this.#write()
    }).catch((error: unknown) => this.#report(`${this.file} cannot be moved aside: ${messageOf(error)}`))
  }

  #tellLost(problem: string): void {
    const name = this.#server
    const advice = `its tools are denied until you have looked at them: curfew mcp test ${name}, then curfew mcp approve ${name}`
    this.#report(`what was known of the tools of the MCP server ${name} is lost (${problem}); ${advice}`)
  }

  async #write(): Promise<void> {
    // Without indentation: a server that nests deeply could make the file a hundred times as large.
    await replaceFile(this.file, `${JSON.stringify(this.#state)}\n`)
  }

  #use(state: StateFile): void {
    this.#state = state
    this.#pins = new Map(state.pins.map((pin) => [pin.definition.name, pin]))
    this.#changed = (state.listing?.tools ?? []).flatMap((current) => {
      const pin = this.#pins.get(current.name)
      if (pin === undefined || pin.hash === hash(pinnedPart(current))) return []
      return [{ name: current.name, pinned: pin.definition, current }]
    })
  }
}

function merged(written: StateFile, own: StateFile): StateFile {
  const names = new Set(written.pins.map(({ definition }) => definition.name))
  return {
    ...written,
    pins: [...written.pins, ...own.pins.filter(({ definition }) => !names.has(definition.name))],
  }
}

/** How many of these can be pinned beside the others. */
function roomFor(added: readonly ToolDefinition[], pins: readonly Pin[]): number {
  if (added.length === 0) return 0
  const used = pins.reduce((sum, { definition }) => sum + JSON.stringify(definition).length, 0)
  return countWithinLimits(added, maxPins - pins.length, maxPinBytes - used)
}

function pin(definition: ToolDefinition): Pin {
  return { hash: hash(pinnedPart(definition)), definition }
}

/** For a tool that was pinned once, nobody knows as what: no definition is that one. */
function lostPin({ name }: ToolDefinition): Pin {
  const description = 'What was known of this tool is lost. It is denied until somebody has looked at it.'
  return { hash: '', definition: { name, description, inputSchema: { type: 'object' } } }
}

/** What a model or a client acts upon; decoration may change. */
export function pinnedPart(definition: ToolDefinition): object {
  const { name, title, description, inputSchema, outputSchema, annotations } = definition
  return { name, title, description, inputSchema, outputSchema, annotations }
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}
