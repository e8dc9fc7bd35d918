import { createHash } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { canonicalJson, messageOf, replaceFile, withLock } from '@curfew/core/internal'
import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplateType,
  ServerCapabilities,
  Tool as ToolDefinition,
} from '@modelcontextprotocol/client'
import type { PinMode, ServerConfig } from '../../config/server-config.ts'
import { serverKey } from '../../config/server-key.ts'
import { countWithinLimits } from './count-within-limits.ts'
import { instructionsName, instructionsToPin } from './pinned-instructions.ts'
import { pinnedPart } from './pinned-part.ts'
import { type Pin, readStateFile, type StateFile } from './state-file.ts'

/** What a server offered when it last ran, so that it can be listed without starting it. */
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

type Lists = Pick<ServerListing, 'tools' | 'prompts' | 'resources' | 'templates'>

/** A listing whose lists are `null` if they were not fetched. */
export type FetchedListing = Omit<ServerListing, keyof Lists> & {
  readonly [K in keyof Lists]: Lists[K] | null
}

/** A tool whose definition differs from the pinned one, or the server's instructions (`instructionsName`). */
export interface ChangedTool {
  readonly name: string
  readonly pinned: ToolDefinition
  readonly current: ToolDefinition
}

/** A tool that is new or has changed and is used nevertheless (`pin: "notify"`, or a new one with `trust`). */
export interface UpdatedTool {
  readonly name: string
  /** When that was noticed, in milliseconds since 1970. */
  readonly at: number
}

/** A server that keeps adding tools must not fill the disk. */
const maxPins = 5_000
const maxPinBytes = 16 << 20

const empty: StateFile = { config: '', listing: null, pins: [] }

/**
 * The stored state of a server: its last listing, and the pinned definitions of its tools, as they were first seen or approved.
 * Pins are kept when the server's configuration changes; a listing is valid only for the configuration that it came from.
 */
export class ServerState {
  readonly file: string
  readonly #config: string
  readonly #server: string
  #pin: PinMode
  #trustsNew: boolean
  readonly #report: (problem: string) => void
  #state: StateFile = empty
  #pins: ReadonlyMap<string, Pin> = new Map()
  #changed: readonly ChangedTool[] = []
  #added: readonly ToolDefinition[] = []
  readonly #updated = new Map<string, UpdatedTool>()
  /** The updated tools that no model has been told about. */
  readonly #unreported = new Set<string>()
  /** Changes are made one after the other, so that an older listing never replaces a newer one. */
  #lastChange: Promise<unknown> = Promise.resolve()

  private constructor(folder: string, config: ServerConfig, report: (problem: string) => void) {
    const { name, target } = config
    this.file = join(folder, `${serverKey(config)}.json`)
    this.#config = hash(target)
    this.#server = name
    this.#pin = config.pin
    this.#trustsNew = trustsNew(config)
    this.#report = report
  }

  /** Never rejects. If the file cannot be read, the tools that it may have contained are denied until approved. */
  static async open(
    folder: string,
    config: ServerConfig,
    report: (problem: string) => void = () => {},
  ): Promise<ServerState> {
    const state = new ServerState(folder, config, report)
    const { content, problem } = await readStateFile(state.file)
    if (content === null && problem !== null) await state.#onLost(problem)
    else {
      state.#use(content ?? empty)
      if (content?.lost) state.#reportLost(problem ?? 'its file could not be read')
    }
    return state
  }

  get listing(): ServerListing | null {
    return this.#state.config === this.#config ? this.#state.listing : null
  }

  /** The pinned definition of a tool. */
  pinned(name: string): ToolDefinition | undefined {
    return this.#pins.get(name)?.definition
  }

  /**
   * The tools that are used, with their pinned definitions, unless `pin` lets the server change them. Those that wait for approval are
   * not among them.
   */
  get tools(): readonly ToolDefinition[] {
    const hidden = new Set(this.#added)
    const used = (this.listing?.tools ?? []).filter((tool) => !hidden.has(tool))
    return this.#pin === 'strict' ? used.map((tool) => this.pinned(tool.name) ?? tool) : used
  }

  configure(config: ServerConfig): void {
    this.#pin = config.pin
    this.#trustsNew = trustsNew(config)
    this.#use(this.#state)
  }

  /** The tools that were added or changed while this process ran, and are used nevertheless. */
  get updated(): readonly UpdatedTool[] {
    return [...this.#updated.values()]
  }

  /** Whether a model has to be told that this tool has changed; true only once per change. */
  takeUpdate(name: string): boolean {
    return this.#unreported.delete(name)
  }

  /** The server's instructions for models, as they were first seen or approved, unless `pin` lets the server change them. */
  get instructions(): string | null {
    if (this.#pin !== 'strict') return this.listing?.instructions ?? null
    const pin = this.#pins.get(instructionsName)
    return this.listing?.instructions ? (pin?.definition.description ?? null) : null
  }

  /** The tools that are denied until they are approved. Changed instructions are among them; until then, the pinned ones are used. */
  get changed(): readonly ChangedTool[] {
    return this.#changed
  }

  /** The tools that are new since the first listing, and not used until they are approved. */
  get added(): readonly ToolDefinition[] {
    return this.#added
  }

  get needsApproval(): boolean {
    return this.#changed.length + this.#added.length > 0
  }

  /** The names of pinned tools that the server no longer lists. Their pins are kept, in case that they return. */
  get removed(): readonly string[] {
    const listed = new Set((this.#state.listing?.tools ?? []).map(({ name }) => name))
    return [...this.#pins.keys()].filter((name) => name !== instructionsName && !listed.has(name))
  }

  /**
   * Stores a listing; lists that were not fetched stay as they are then. All tools of the first one are pinned, and new ones only if they
   * need no approval. Rejects if the file cannot be written.
   */
  async remember(fetched: FetchedListing): Promise<void> {
    const noteUpdates = (): void => this.#noteUpdates(this.#withKnownLists(fetched))
    await this.#change((state) => {
      const listing = this.#withKnownLists(fetched)
      if (this.#pin === 'off') return { ...state, config: this.#config, listing }
      const known = new Set(state.pins.map(({ definition }) => definition.name))
      const added = listing.tools.filter(({ name }) => !known.has(name))
      // A tool that cannot be pinned is not used, because its definition could change unnoticed.
      const unpinned = new Set(added.splice(countPinnable(added, state.pins)))
      const tools = listing.tools.filter((tool) => !unpinned.has(tool))
      const instructions = instructionsToPin(listing.instructions)
      return {
        ...state,
        config: this.#config,
        listing: { ...listing, tools },
        pins: [
          ...this.#keptPins(state.pins, pinnable({ ...listing, tools })),
          ...(this.#usesNew(state) ? added.map(pin) : []),
          ...(known.has(instructionsName) || state.lost ? [] : [pin(instructions)]),
        ],
      }
    }, noteUpdates)
  }

  #withKnownLists(fetched: FetchedListing): ServerListing {
    const { tools = [], prompts = [], resources = [], templates = [] } = this.listing ?? {}
    return {
      ...fetched,
      tools: fetched.tools ?? tools,
      prompts: fetched.prompts ?? prompts,
      resources: fetched.resources ?? resources,
      templates: fetched.templates ?? templates,
    }
  }

  /** True if tools without a pin are used: those of the first listing, and others if the configuration accepts them. */
  #usesNew(state: StateFile): boolean {
    return this.#pin !== 'strict' || isFirst(state) || (this.#trustsNew && !state.lost)
  }

  /** With `pin: "notify"`, a changed definition replaces the pinned one. */
  #keptPins(pins: readonly Pin[], definitions: readonly ToolDefinition[]): readonly Pin[] {
    if (this.#pin !== 'notify') return pins
    const current = new Map(definitions.map((definition) => [definition.name, definition]))
    return pins.map((old) => {
      const definition = current.get(old.definition.name)
      return definition === undefined || matches(old, definition) ? old : pin(definition)
    })
  }

  #noteUpdates(listing: ServerListing): void {
    if (isFirst(this.#state) || this.#pin === 'off') return
    const usesNew = this.#usesNew(this.#state)
    for (const definition of pinnable(listing)) {
      const { name } = definition
      const known = this.#pins.get(name)
      const isChanged = known !== undefined && this.#pin === 'notify' && !matches(known, definition)
      const isNew = known === undefined && usesNew && name !== instructionsName
      if (isChanged || isNew) this.#updated.set(name, { name, at: Date.now() })
      if (isChanged) this.#unreported.add(name)
    }
  }

  /** Pins the definitions that a person has reviewed, even if the server has changed them again meanwhile. */
  async approve(reviewed: readonly ToolDefinition[]): Promise<void> {
    const names = new Set(reviewed.map(({ name }) => name))
    const hasTools = reviewed.some(({ name }) => name !== instructionsName)
    await this.#change(({ lost, ...state }) => ({
      ...state,
      // Without a pinned tool, the next listing would be the first one.
      ...(lost && !hasTools && { lost }),
      pins: [...state.pins.filter(({ definition }) => !names.has(definition.name)), ...reviewed.map(pin)],
    }))
  }

  /** Rereads the pins, which another process may have approved. The listing stays the one that this process got. */
  async refresh(): Promise<void> {
    const { pins } = await this.#stored()
    this.#use({ ...this.#state, pins })
  }

  async #change(change: (state: StateFile) => StateFile, prepare = (): void => {}): Promise<void> {
    const done = this.#lastChange.then(() => {
      prepare()
      return this.#apply(change)
    })
    this.#lastChange = done.catch(() => {})
    await done
  }

  async #apply(change: (state: StateFile) => StateFile): Promise<void> {
    const before = this.#state
    // It applies to this process even if it cannot be written.
    this.#use(change(before))
    try {
      // Usually nothing has changed; then neither the lock nor the disk is needed.
      if (await this.#isStored(before, change)) return
      await mkdir(dirname(this.file), { recursive: true, mode: 0o700 })
      await withLock(this.file, async () => {
        this.#use(change(await this.#stored(before)))
        await this.#write()
      })
    } catch (error) {
      throw new Error(`${this.file} cannot be written: ${messageOf(error)}`, { cause: error })
    }
  }

  async #isStored(own: StateFile, change: (state: StateFile) => StateFile): Promise<boolean> {
    const { content, problem } = await readStateFile(this.file)
    if (content === null || problem !== null) return false
    const next = change(merge(content, own))
    if (JSON.stringify(next) !== JSON.stringify(content)) return false
    this.#use(next)
    return true
  }

  /** The content of the file, plus pins that could not be written. */
  async #stored(own = this.#state): Promise<StateFile> {
    const { content } = await readStateFile(this.file)
    return content === null ? own : merge(content, own)
  }

  /** The unreadable file is kept, and the loss is recorded, so that the next process does not treat the tools as new. */
  async #onLost(problem: string): Promise<void> {
    this.#use({ ...empty, lost: true })
    this.#reportLost(problem)
    await withLock(this.file, async () => {
      // Another process may have done it meanwhile.
      const { content } = await readStateFile(this.file)
      if (content !== null) return this.#use(content)
      const backup = `${this.file}.unreadable`
      await rm(backup, { recursive: true, force: true })
      await rename(this.file, backup)
      await this.#write()
    }).catch((error: unknown) => this.#report(`${this.file} cannot be renamed: ${messageOf(error)}`))
  }

  #reportLost(problem: string): void {
    const name = this.#server
    const fix = `its tools are denied until you approve them: run curfew mcp test ${name}, then curfew mcp approve ${name}`
    this.#report(`the pinned tools of the MCP server ${name} are lost (${problem}); ${fix}`)
  }

  async #write(): Promise<void> {
    // Without indentation, which could make a deeply nested file a hundred times as large.
    await replaceFile(this.file, `${JSON.stringify(this.#state)}\n`)
  }

  #use(state: StateFile): void {
    this.#state = state
    this.#pins = new Map(state.pins.map((pin) => [pin.definition.name, pin]))
    // Instructions without a pin are pinned with the next listing, unless they were pinned before.
    const isAdded = ({ name }: ToolDefinition): boolean =>
      !this.#pins.has(name) && (name !== instructionsName || state.lost === true)
    this.#added = this.#usesNew(state) ? [] : pinnable(state.listing).filter(isAdded)
    this.#changed =
      this.#pin !== 'strict'
        ? []
        : pinnable(state.listing).flatMap((current) => {
            const pin = this.#pins.get(current.name)
            if (pin === undefined || matches(pin, current)) return []
            return [{ name: current.name, pinned: pin.definition, current }]
          })
  }
}

function merge(stored: StateFile, own: StateFile): StateFile {
  const names = new Set(stored.pins.map(({ definition }) => definition.name))
  return {
    ...stored,
    pins: [...stored.pins, ...own.pins.filter(({ definition }) => !names.has(definition.name))],
  }
}

/** How many of these can be pinned in addition to the existing pins. */
function countPinnable(added: readonly ToolDefinition[], pins: readonly Pin[]): number {
  if (added.length === 0) return 0
  const tools = pins.filter(({ definition }) => definition.name !== instructionsName)
  const used = tools.reduce((sum, { definition }) => sum + JSON.stringify(definition).length, 0)
  return countWithinLimits(added, maxPins - tools.length, maxPinBytes - used)
}

function pin(definition: ToolDefinition): Pin {
  return { hash: hash(pinnedPart(definition)), definition }
}

function matches({ hash: pinned }: Pin, definition: ToolDefinition): boolean {
  return pinned === hash(pinnedPart(definition))
}

/** Its tools, and its instructions; a server that has none any more cannot do harm with them. */
function pinnable(listing: ServerListing | null): readonly ToolDefinition[] {
  const { tools = [], instructions = null } = listing ?? {}
  return instructions === null ? tools : [...tools, instructionsToPin(instructions)]
}

/** Whether no tool has been pinned before. A server may list its tools only after its first start. */
function isFirst({ pins, lost = false }: StateFile): boolean {
  return !lost && pins.every(({ definition }) => definition.name === instructionsName)
}

/** A project cannot decide that its servers may add tools unnoticed. */
function trustsNew({ trust, ofProject = false }: ServerConfig): boolean {
  return trust && !ofProject
}

function hash(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}
