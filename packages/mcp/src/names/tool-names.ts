import { createHash } from 'node:crypto'

/** The core's limit for names. */
const coreLimit = 128

/** `mcp__<server>__<tool>`, as a valid name. */
export function toolName(server: string, tool: string): string {
  return shorten(usableName(`mcp__${server}__${tool}`), coreLimit)
}

/** `full`: `mcp__<server>__<tool>`; `short`: `<server>__<tool>`; `bare`: `<tool>`. */
export type NameStyle = 'full' | 'short' | 'bare'

/** The possible names of a server's tool for clients, the preferred one first; the last one is for tools whose preferred name is taken. */
export function servedNames(
  { server, tool }: { readonly server: string; readonly tool: string },
  style: NameStyle,
  limit: number,
): string[] {
  const preferred = {
    full: [],
    short: [shorten(usableName(`${server}__${tool}`), coreLimit)],
    bare: [usableName(tool)],
  }
  return [...preferred[style], toolName(server, tool)].map((name) => shorten(name, limit))
}

/** The server that a tool with this name belongs to, or would belong to. */
export function isNameOf(server: string, name: string): boolean {
  return name.startsWith(`mcp__${server}__`) || name.startsWith(`${server}__`)
}

/** Replaces characters that some models do not accept; a hash keeps the result unique and stable. */
export function usableName(name: string): string {
  const clean = name.replace(/[^A-Za-z0-9_.-]/g, '_')
  return clean === name ? name : withHash(clean, name)
}

/** Shortens a name to the limit; a hash keeps the result unique and stable. */
export function shorten(name: string, limit: number): string {
  return name.length <= limit ? name : withHash(name.slice(0, limit - hashLength - 1), name)
}

const hashLength = 8

function withHash(short: string, name: string): string {
  return `${short}_${createHash('sha256').update(name).digest('hex').slice(0, hashLength)}`
}
