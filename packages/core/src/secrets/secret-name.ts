/** It may become a variable of a script's environment. */
export const secretNamePattern = '^[A-Za-z_][A-Za-z0-9_]{0,127}$'

export function isSecretName(name: string): boolean {
  return new RegExp(secretNamePattern).test(name)
}

/** A shorter one could not be told from other text, and so not be kept out of what is shown. */
export const shortestSecret = 4
