/** The beginning of a text, in quotes. */
export function excerpt(text = ''): string {
  return `"${text.slice(0, 60)}"`
}

/** The name of a tool or parameter, as code. */
export function codeName(of: { readonly name: string } | undefined): string {
  return `\`${of?.name.slice(0, 80)}\``
}
