import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Writes declarations for CommonJS users. Node can `require` the core's ES modules, but TypeScript under `module: node16` rejects that
 * unless the package has declarations in CommonJS format.
 */
for (const entry of ['index', 'rows/index', 'testing/index']) {
  const file = `packages/core/dist/${entry}.d.ts`
  writeFileSync(file.replace('.d.ts', '.d.cts'), commonjsTypes(readFileSync(file, 'utf8')))
}

function commonjsTypes(declarations: string): string {
  const asModule = `with { 'resolution-mode': 'import' }`
  const values: string[] = []
  const types: string[] = []
  for (const [, allTypes, names = ''] of declarations.matchAll(/^export (type )?\{([^}]*)\} from/gm)) {
    // A list on several lines ends with a comma.
    for (const name of names
      .split(',')
      .map((entry) => entry.trim())
      .filter(Boolean)) {
      if (allTypes !== undefined || name.startsWith('type ')) types.push(name.replace('type ', ''))
      else values.push(name)
    }
  }
  // A class is a value and a type.
  const classes = values.filter((name) => /^[A-Z]/.test(name))
  return [
    `import type * as entry from './index.js' ${asModule}`,
    `export type { ${types.join(', ')} } from './index.js' ${asModule}`,
    ...values.map((name) => `export declare const ${name}: typeof entry.${name}`),
    ...classes.map((name) => `export type ${name} = entry.${name}`),
    '',
  ].join('\n')
}
