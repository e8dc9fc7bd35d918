import { rolldown } from 'rolldown'

/**
 * `curfew timeout` stands in front of every command, so its own start counts. Loading its thirty modules takes nearly as
 * long as Node needs to start; as one file of CommonJS, for which Node need not start its loader of modules, a quarter of that.
 */
const bundle = await rolldown({
  input: 'packages/cli/dist/timeout/main.js',
  platform: 'node',
  external: /^node:/,
})
await bundle.write({ file: 'packages/cli/dist/timeout/main.cjs', format: 'cjs', codeSplitting: false })
await bundle.close()
