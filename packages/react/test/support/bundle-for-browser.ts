import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

/** Bundles a program as a script whose exports are `bundled`. An import of something from Node is an error. */
export async function bundleForBrowser(file: string, mode: 'production' | 'development'): Promise<string> {
  const bundle = await rolldown({
    input: resolve(file),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': JSON.stringify(mode) } },
    onLog(_level, log) {
      throw new Error(log.message)
    },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'bundled' })
  await bundle.close()
  const [chunk, ...others] = output
  if (others.length > 0 || chunk.imports.length > 0) throw new Error('expected one file without imports')
  return chunk.code
}
