/** Valid as the name of an environment variable, in which scripts get their secrets. */
export const secretNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,127}$'

export function isSecretName(name: string): boolean {
  return new RegExp(secretNamePattern).test(name)
}

/** Shorter values cannot be redacted, because they occur in other text by chance. */
export const minSecretLength = 4
