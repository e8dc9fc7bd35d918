interface Style {
  readonly code: string
  readonly endCode: string
}

/** True if no control sequence is needed between characters with these styles. */
export function sameStyles(left: readonly Style[], right: readonly Style[]): boolean {
  if (left.length !== right.length) return false
  for (let index = 0; index < left.length; index++)
    if (left[index]!.code !== right[index]!.code || left[index]!.endCode !== right[index]!.endCode)
      return false
  return true
}
