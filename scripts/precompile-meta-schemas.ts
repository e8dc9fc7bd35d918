import { rolldown } from 'rolldown'
import { checksModule, precompiledSchemas } from './precompile-schemas.ts'

/** Compiling the 2020-12 meta-schema takes 47 ms in every process that defines a tool with JSON Schema. */
const bundle = await rolldown({ input: checksModule, platform: 'node', plugins: [precompiledSchemas()] })
await bundle.write({ file: checksModule, format: 'esm', minify: true })
await bundle.close()
