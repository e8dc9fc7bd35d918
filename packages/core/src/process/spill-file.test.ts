import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SpillFile } from './spill-file.ts'

test('stops writing at the size limit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'curfew-spill-'))
  const path = join(folder, 'output')
  const file = new SpillFile(path, () => {}, 10)
  for (const chunk of ['12345', '6789', 'abc', 'def']) file.write(Buffer.from(chunk))
  await new Promise<void>((resolve) => file.end(resolve))
  expect(readFileSync(path, 'utf8')).toBe('123456789a')
  rmSync(folder, { recursive: true })
})
