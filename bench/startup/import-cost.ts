import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const script = `
const before = process.cpuUsage()
await import(process.env.MODULE)
const { user, system } = process.cpuUsage(before)
console.log((user + system) / 1000)
`

/** The milliseconds of CPU time that importing a package takes in a new process. */
export function importCost(specifier: string): number {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../../packages/mcp', import.meta.url)),
    env: { PATH: process.env.PATH, MODULE: specifier },
    encoding: 'utf8',
  })
  return Number(output)
}
