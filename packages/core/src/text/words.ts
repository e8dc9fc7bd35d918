/** The words of a string, for long lists in the source. They are separated by white space. */
export function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean)
}
