/** A secret that no output may contain, with characters that every encoding changes. */
export const canary = 'canary-Zq7/Xw2+9Lm "öß" 4Tk8'
/** As the runtime promises to recognize it: verbatim, in JSON, in a URL, as hex, in base64. */
export const canaryForms: readonly string[] = [
  canary,
  JSON.stringify(canary).slice(1, -1),
  encodeURIComponent(canary),
  Buffer.from(canary).toString('hex'),
  // Without the first and the last characters, which depend on what is around it.
  ...[0, 1, 2].map((shift) =>
    Buffer.from('x'.repeat(shift) + canary)
      .toString('base64')
      .slice(4, -6),
  ),
]
