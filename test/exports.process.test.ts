import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

interface Manifest {
  readonly name: string
  readonly exports?: Readonly<Record<string, string | Target | { readonly import: Target }>>
}

interface Target {
  readonly types: string
}

const entries = readdirSync('packages').flatMap((folder) => {
  const { name, exports = {} } = JSON.parse(
    readFileSync(`packages/${folder}/package.json`, 'utf8'),
  ) as Manifest
  return Object.entries(exports).flatMap(([subpath, target]) =>
    typeof target === 'string'
      ? []
      : [{ specifier: name + subpath.slice(1), source: `packages/${folder}/${typesOf(target)}` }],
  )
})

test.each(entries)('the exports of $specifier', async ({ specifier, source }) => {
  const { values, types } = exportedNames(readFileSync(source, 'utf8'))
  expect(Object.keys(await import(specifier)).sort()).toEqual(values)
  const listing = [...values, ...types.map((name) => `type ${name}`)].join('\n')
  await expect(`${listing}\n`).toMatchFileSnapshot(`exports/${specifier.replaceAll('/', '.')}.txt`)
})

function typesOf(target: Target | { readonly import: Target }): string {
  return 'import' in target ? target.import.types : target.types
}

/** An entry point consists of `export { a, type B } from './file.js'` only. */
function exportedNames(declarations: string): { values: string[]; types: string[] } {
  const values: string[] = []
  const types: string[] = []
  for (const [, allTypes, names = ''] of declarations.matchAll(/^export (type )?\{([^}]*)\} from/gm)) {
    for (const entry of names.split(',').map((name) => name.trim())) {
      if (entry === '') continue
      if (allTypes !== undefined || entry.startsWith('type ')) types.push(entry.replace('type ', ''))
      else values.push(entry)
    }
  }
  return { values: values.sort(), types: types.sort() }
}
