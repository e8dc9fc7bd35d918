/** Tools are named `mcp__<server>__<tool>`, so the end of the server's name must be unambiguous. */
export const serverNamePattern = '^(?!.*__)[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$'

const shape = new RegExp(serverNamePattern)

/** Why a server's name is invalid, or `null`. */
export function serverNameProblem(name: string): string | null {
  if (shape.test(name)) return null
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    return 'a server name must not contain "__" or end with "_", because its tools are named mcp__<server>__<tool>'
  }
  return 'a server name has at most 64 characters of A-Z a-z 0-9 _ -, because its tools are named mcp__<server>__<tool>'
}
