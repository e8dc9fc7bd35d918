import { readFileSync } from 'node:fs'

export function coreVersion(): string {
  return packageVersion(new URL('../packages/core/package.json', import.meta.url))
}

/** `null` if it is not installed. */
export function peerVersion(name: string): string | null {
  try {
    return packageVersion(new URL(`node_modules/${name}/package.json`, import.meta.url))
  } catch {
    return null
  }
}

function packageVersion(file: URL): string {
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
