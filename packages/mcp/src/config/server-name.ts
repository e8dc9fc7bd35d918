/** Tools are called `mcp__<server>__<tool>`: it must be possible to tell where the server's name ends. */
export const serverNamePattern = '^(?!.*__)[A-Za-z0-9_-]{0,63}[A-Za-z0-9-]$'

const shape = new RegExp(serverNamePattern)

/** What is wrong with a server's name, or `null`. */
export function serverNameProblem(name: string): string | null {
  if (shape.test(name)) return null
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    return 'a server\'s name must not contain "__" nor end with "_": its tools are called mcp__<server>__<tool>'
  }
  return "a server's name has up to 64 of A-Z a-z 0-9 _ -, since its tools are called mcp__<server>__<tool>"
}
