import { readFile, stat } from 'node:fs/promises'
import { messageOf, parseJson } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
import type { ServerListing } from './server-state.ts'

/** What is written down of a server. */
export interface StateFile {
  /** Of the configuration it was started with. */
  readonly config: string
  readonly listing: ServerListing | null
  readonly pins: readonly Pin[]
  /** Some pins could not be read: a tool without one may not be new. */
  readonly lost?: boolean
}

/** The definition of a tool that counts. */
export interface Pin {
  readonly hash: string
  readonly definition: ToolDefinition
}

/** More than is ever written: a listing and its pins are bounded. */
const maxBytes = 256 << 20

interface Read {
  /** `null` if there is nothing, or nothing that can be used. */
  readonly written: StateFile | null
  /** What was there and could not be read; `null` if that was nothing. */
  readonly problem: string | null
}

/** Only a file that is not there was never seen; of one that cannot be used it says why. */
export async function readStateFile(file: string): Promise<Read> {
  try {
    const { size } = await stat(file)
    if (size > maxBytes) throw new Error(`it has ${size} bytes; at most ${maxBytes} are read`)
    return parse(await readFile(file, 'utf8'), file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const neverSeen = code === 'ENOENT' || code === 'ENOTDIR'
    return { written: null, problem: neverSeen ? null : `${file} cannot be read: ${messageOf(error)}` }
  }
}

function parse(text: string, file: string): Read {
  const state = parseJson(text) as Partial<StateFile> | null
  const { config, listing = null, pins, lost = false } = state ?? {}
  if (typeof config !== 'string' || !Array.isArray(pins)) throw new Error('it is not one of ours')
  const good = pins.filter(isPin)
  const bad = pins.length - good.length
  return {
    written: {
      config,
      listing: isListing(listing) ? listing : null,
      pins: good,
      ...((lost || bad > 0) && { lost: true }),
    },
    problem: bad === 0 ? null : `${file} has ${bad} of ${pins.length} entries that cannot be read`,
  }
}

function isPin(pin: Partial<Pin> | null): boolean {
  return typeof pin?.hash === 'string' && isDefinition(pin.definition)
}

/** Everything that is used of a definition has the right type; that it is true nobody can tell. */
function isDefinition(definition: unknown): boolean {
  const { name, title, description, inputSchema, annotations } = Object(definition) as Record<string, unknown>
  return (
    typeof name === 'string' &&
    [title, description].every((text) => text === undefined || typeof text === 'string') &&
    isObject(inputSchema) &&
    (annotations === undefined || isObject(annotations))
  )
}

function isListing(listing: unknown): boolean {
  const { capabilities, instructions, tools, prompts, resources, templates } = Object(listing) as Record<
    string,
    unknown
  >
  const areNamed = (list: unknown, key: string): boolean =>
    Array.isArray(list) && list.every((item) => typeof Object(item)[key] === 'string')
  return (
    isObject(capabilities) &&
    (instructions === null || typeof instructions === 'string') &&
    Array.isArray(tools) &&
    tools.every(isDefinition) &&
    areNamed(prompts, 'name') &&
    areNamed(resources, 'uri') &&
    areNamed(templates, 'uriTemplate')
  )
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
