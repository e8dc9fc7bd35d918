import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it } from 'vitest'

const bin = createRequire(import.meta.url).resolve('../bin/curfew.cjs')

function requireAs(version: string): { status: number | null; stdout: string; stderr: string } {
  const program = `Object.defineProperty(process.versions, 'node', { value: '${version}' }); require(${JSON.stringify(bin)})`
  return spawnSync(process.execPath, ['-e', program], { encoding: 'utf8' })
}

describe('the Node version', () => {
  it.each(['0.12.18', '10.1.0', '22.12.0'])('%s is rejected with the required version', (version) => {
    const { status, stdout, stderr } = requireAs(version)
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toBe(`curfew requires Node 22.13 or newer, got Node ${version}\n`)
  })

  it.each(['22.13.0', '30.0.0'])('%s is accepted', (version) => {
    const { status, stdout } = requireAs(version)
    expect(status).toBe(0)
    expect(stdout).toContain('Usage: curfew')
  })

  it('is checked by a file that every version can parse', () => {
    const code = readFileSync(bin, 'utf8').replace(/\/\/.*/g, '')
    expect(code).not.toMatch(/=>|`|\b(?:const|let|class|import|async|await)\b|\?\.|\?\?|\.\.\./)
  })
})
