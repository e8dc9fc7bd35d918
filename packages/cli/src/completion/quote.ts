/** In single quotes, for bash and zsh. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The part of a summary that fits beside a completion: up to the first separator. */
export function shorten(summary: string): string {
  return summary.split(/[;:.] |, as in/, 1)[0]!
}
