import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const stampFile = join(root, 'node_modules/.curfew-build')

/** A hash of everything that is built, without the tests next to it. */
export function sourceHash(folder: string = root): string {
  const hash = createHash('sha256')
  const patterns = [
    'packages/*/src/**/*.{ts,tsx}',
    'packages/*/{package,tsconfig}.json',
    'scripts/*.ts',
    '*.json',
  ]
  const exclude = ['**/*.test.*', '**/*.test-d.ts']
  for (const file of globSync(patterns, { cwd: folder, exclude }).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(folder, file)))
      .update('\0')
  return hash.digest('hex')
}

export function isBuilt(): boolean {
  try {
    return readFileSync(stampFile, 'utf8') === sourceHash()
  } catch {
    return false
  }
}

if (import.meta.main) writeFileSync(stampFile, sourceHash())
