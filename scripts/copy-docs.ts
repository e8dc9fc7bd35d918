import { cpSync, readdirSync, rmSync } from 'node:fs'

/** Copies the guides that `--help` refers to into the published package. Those for contributors are not copied. */
const contributors = ['architecture.md', 'benchmarks.md']
const from = new URL('../docs/', import.meta.url)
const to = new URL('../packages/cli/docs/', import.meta.url)
rmSync(to, { recursive: true, force: true })
for (const name of readdirSync(from)) {
  if (name.endsWith('.md') && !contributors.includes(name)) cpSync(new URL(name, from), new URL(name, to))
}
