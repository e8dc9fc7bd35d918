import { isJsonObject, messageOf, parseJson, readSmallFile } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'
import type { ServerListing } from './server-state.ts'

/** The content of a server's state file. */
export interface StateFile {
  /** A hash of the configuration that the listing came from. */
  readonly config: string
  readonly listing: ServerListing | null
  readonly pins: readonly Pin[]
  /** Some pins could not be read, so this is not the first listing. */
  readonly lost?: boolean
}

/** The accepted definition of a tool. */
export interface Pin {
  readonly hash: string
  readonly definition: ToolDefinition
}

/** More than is ever written: listings and pins are bounded. */
const maxBytes = 256 << 20

interface ReadResult {
  /** `null` if there is no usable file. */
  readonly content: StateFile | null
  /** What could not be read; `null` if everything could. */
  readonly problem: string | null
}

/** Only a missing file counts as a server that was never seen; any other failure is a problem. */
export async function readStateFile(file: string): Promise<ReadResult> {
  try {
    const bytes = readSmallFile(file, maxBytes)
    return bytes === null ? { content: null, problem: null } : parse(bytes.toString(), file)
  } catch (error) {
    return { content: null, problem: `${file} cannot be read: ${messageOf(error)}` }
  }
}

function parse(text: string, file: string): ReadResult {
  const state = parseJson(text) as Partial<StateFile> | null
  const { config, listing = null, pins, lost = false } = state ?? {}
  if (typeof config !== 'string' || !Array.isArray(pins)) throw new Error('expected a Curfew state file')
  const valid = pins.filter((pin) => typeof pin?.hash === 'string' && isDefinition(pin.definition))
  const invalid = pins.length - valid.length
  return {
    content: {
      config,
      listing: isListing(listing) ? listing : null,
      pins: valid,
      ...((lost || invalid > 0) && { lost: true }),
    },
    problem: invalid === 0 ? null : `${invalid} of ${pins.length} entries of ${file} cannot be read`,
  }
}

/** Checks the types of the fields that are used. */
function isDefinition(definition: unknown): boolean {
  const { name, title, description, inputSchema, annotations } = Object(definition) as Record<string, unknown>
  return (
    typeof name === 'string' &&
    [title, description].every((text) => text === undefined || typeof text === 'string') &&
    isJsonObject(inputSchema) &&
    (annotations === undefined || isJsonObject(annotations))
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
    isJsonObject(capabilities) &&
    (instructions === null || typeof instructions === 'string') &&
    Array.isArray(tools) &&
    tools.every(isDefinition) &&
    areNamed(prompts, 'name') &&
    areNamed(resources, 'uri') &&
    areNamed(templates, 'uriTemplate')
  )
}
