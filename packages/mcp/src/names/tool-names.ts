import { createHash } from 'node:crypto'

/** What the core takes for a name. */
const coreLimit = 128

/** `mcp__<server>__<tool>`, whatever a server calls its tools. */
export function toolName(server: string, tool: string): string {
  return shorten(usableName(`mcp__${server}__${tool}`), coreLimit)
}

/** A name that every model accepts; where something had to go, the same name always becomes the same. */
export function usableName(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_.-]/g, '_')
  return clean === name ? name : withHash(clean, name)
}

/** A name of at most so many characters, the same one every time. */
export function shorten(name: string, limit: number): string {
  return name.length <= limit ? name : withHash(name.slice(0, limit - hashLength - 1), name)
}

const hashLength = 8

function withHash(short: string, name: string): string {
  return `${short}_${createHash('sha256').update(name).digest('hex').slice(0, hashLength)}`
}
