import { readFile } from 'node:fs/promises'
import { messageOf } from '@curfew/core/adapter'
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

interface Read {
  /** `null` if there is nothing, or nothing that can be used. */
  readonly written: StateFile | null
  /** What was there and could not be read; `null` if that was nothing. */
  readonly problem: string | null
}

/** Only a file that is not there was never seen; of one that cannot be used it says why. */
export async function readStateFile(file: string): Promise<Read> {
  try {
    return parse(await readFile(file, 'utf8'), file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const neverSeen = code === 'ENOENT' || code === 'ENOTDIR'
    return { written: null, problem: neverSeen ? null : `${file} cannot be read: ${messageOf(error)}` }
  }
}

function parse(text: string, file: string): Read {
  const state = JSON.parse(text) as Partial<StateFile> | null
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
  return typeof pin?.hash === 'string' && typeof pin.definition?.name === 'string'
}

/** Enough that nothing breaks on it; that it is true nobody can tell. */
function isListing(listing: Partial<ServerListing> | null): boolean {
  const { capabilities, tools, prompts, resources, templates } = listing ?? {}
  const areNamed = (list: readonly unknown[] | undefined, key: string): boolean =>
    Array.isArray(list) &&
    list.every((item: Record<string, unknown> | null) => typeof item?.[key] === 'string')
  return (
    typeof capabilities === 'object' &&
    areNamed(tools, 'name') &&
    areNamed(prompts, 'name') &&
    areNamed(resources, 'uri') &&
    areNamed(templates, 'uriTemplate')
  )
}
