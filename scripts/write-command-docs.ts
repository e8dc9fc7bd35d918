import { mkdirSync, writeFileSync } from 'node:fs'
import { cliReference } from './cli-reference.ts'
import { manPage } from './man-page.ts'

/** Writes docs/cli.md and the man page from the command declarations. A test fails if they are out of date. */
const root = new URL('../', import.meta.url)
mkdirSync(new URL('packages/cli/man/', root), { recursive: true })
writeFileSync(new URL('docs/cli.md', root), cliReference())
writeFileSync(new URL('packages/cli/man/curfew.1', root), manPage())
