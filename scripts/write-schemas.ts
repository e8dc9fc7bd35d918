import { mkdirSync, writeFileSync } from 'node:fs'
import { approvalsSchema, configSchema, scriptSchema } from '@curfew/extensions/internal'
import { mcpSchema } from '@curfew/mcp/config'

/** Writes the JSON Schemas of the configuration files, which editors use, from the same objects that validate the files. */
const published = {
  extensions: { approvals: approvalsSchema, config: configSchema, script: scriptSchema },
  mcp: { mcp: mcpSchema },
}
for (const [name, schemas] of Object.entries(published)) {
  const folder = new URL(`../packages/${name}/schemas/`, import.meta.url)
  mkdirSync(folder, { recursive: true })
  for (const [file, schema] of Object.entries(schemas))
    writeFileSync(new URL(`${file}.schema.json`, folder), `${JSON.stringify(schema, null, 2)}\n`)
}
