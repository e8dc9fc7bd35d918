import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'

const guide = readFileSync('docs/architecture.md', 'utf8')

/** The numbered steps below a line of the guide, with the files and functions that each names. */
function stepsAfter(line: string): { readonly step: string; readonly names: readonly string[] }[] {
  const steps = guide.slice(guide.indexOf(line)).split('\n\n')[1]!.split('\n')
  return steps.map((step) => ({
    step,
    // Only what is before the colon, which is followed by a description.
    names: Array.from(
      step
        .split('`:')[0]!
        .concat('`')
        .matchAll(/`([^`]+)`/g),
      ([, name]) => name!,
    ),
  }))
}

describe.each([
  ['A turn, from `agent.send` to its end:', 'packages/agent/src', 17],
  ['The path of one call through the gateway', 'packages/mcp/src', 40],
])('%s', (line, root, count) => {
  const steps = stepsAfter(line)

  test('has the expected number of steps', () => {
    expect(steps.length).toBe(count)
  })

  test.each(steps)('$step', ({ names }) => {
    let folder = root
    const files: string[] = []
    for (const name of names) {
      if (!name.endsWith('.ts')) continue
      const path = name.startsWith('core/') ? join('packages/core/src', name.slice(5)) : join(root, name)
      // The second file of a step is next to the first.
      const file = name.includes('/') ? path : join(folder, name)
      folder = join(file, '..')
      expect(existsSync(file), `${file} exists`).toBe(true)
      files.push(file)
    }
    const source = files.map((file) => readFileSync(file, 'utf8')).join('\n')
    for (const name of names) {
      if (name.endsWith('.ts') || files.length === 0) continue
      expect(isDefinedIn(source, name), `${name} is defined in ${files.join(' or ')}`).toBe(true)
    }
  })
})

test('every folder of a package that is listed exists, and every folder is listed', () => {
  for (const [, root, rows] of guide.matchAll(
    /^\| folder of `(packages\/[\w/-]+)` \| contents \|\n\|[ -|]+\|\n((?:\|.*\n)+)/gm,
  )) {
    const listed = Array.from(rows!.matchAll(/^\| ([^|]+) \|/gm), ([, cell]) => cell!)
      .flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name!))
      .sort()
    const present = readdirSync(root!, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort()
    expect(listed, root).toEqual(present)
  }
})

/** A function, method, arrow function in a field, or property of an object. */
function isDefinedIn(source: string, name: string): boolean {
  const escaped = name.replace('#', '\\#')
  return new RegExp(
    `(?:function\\*? ${escaped}\\b|^\\s*(?:async |readonly |get )*${escaped}(?:<|\\(| = )|\\b${escaped} = |\\b${escaped}: )`,
    'm',
  ).test(source)
}
