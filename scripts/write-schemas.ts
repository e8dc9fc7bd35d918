import { mkdirSync, writeFileSync } from 'node:fs'
import { configSchema, scriptSchema } from '@curfew/core/extensions'

/** What files may contain, for editors: published with the package, from the same source that checks the files. */
const folder = new URL('../packages/core/schemas/', import.meta.url)
mkdirSync(folder, { recursive: true })
for (const [name, schema] of Object.entries({ config: configSchema, script: scriptSchema })) {
  writeFileSync(new URL(`${name}.schema.json`, folder), `${JSON.stringify(schema, null, 2)}\n`)
}
