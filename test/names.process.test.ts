import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'

const files = readdirSync('packages').flatMap((name) => {
  const folder = join('packages', name, 'src')
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file))
    .map((file) => join(folder, file))
})

test('no two source files have the same name, except entry points', () => {
  const named = files.filter((file) => !['index.ts', 'main.ts'].includes(basename(file)))
  expect(duplicates(named.map((file) => [basename(file), file]))).toEqual([])
})

test('no two classes have the same name', () => {
  const classes = files.flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/^(?:export )?(?:abstract )?class (\w+)/gm),
      ([, name]): [string, string] => [name!, file],
    ),
  )
  expect(classes.length).toBeGreaterThan(50)
  expect(duplicates(classes)).toEqual([])
})

function duplicates(entries: readonly (readonly [string, string])[]): string[] {
  const files = new Map<string, string[]>()
  for (const [name, file] of entries) files.set(name, [...(files.get(name) ?? []), file])
  return [...files.values()].filter((same) => same.length > 1).map((same) => same.join(', '))
}
