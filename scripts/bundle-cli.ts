import { rmSync } from 'node:fs'
import { type OutputChunk, type OutputOptions, type Plugin, type PreRenderedChunk, rolldown } from 'rolldown'
import '@curfew/extensions'
import '@curfew/mcp/config'
import { ownSchemas } from '../packages/core/dist/schema/compile-json-schema.js'
import { bundledInk } from './bundle-ink.ts'
import { precompiledSchemas } from './precompile-schemas.ts'
import { writeNotices } from './write-notices.ts'

/**
 * Bundles the `curfew` command: Node loads a few CommonJS files much faster than hundreds of ES modules. Everything goes into one
 * flat folder directly below the package, where paths relative to `import.meta.url` stay valid.
 */
const folder = 'packages/cli/bundle'
/** CommonJS packages that the sources load with `createRequire` or `import()` on first use: each becomes its own file. */
const lazyPackages = ['ajv', 'ajv/dist/2020.js', 'undici']
const schemas = precompiledSchemas([...ownSchemas])
/** Together, the checks of Curfew's own schemas are 400 kB, of which a command needs a fraction: each is a file of its own. */
const eachCheck = {
  debugName: 'schema checks',
  name: (id: string): string | null =>
    /^\0check:\d+$/.test(id) ? id.replace('\0check:', 'schema-check-') : null,
}

/** Needed only when a model answers. */
const markdownLexer = {
  debugName: 'Markdown',
  name: (id: string): string | null =>
    /\/tui\/markdown\/safe-lexer\.js$|\/node_modules\/marked\//.test(id) ? 'markdown-lexer' : null,
}
/** Most commands show only ASCII. */
const unusualText = {
  debugName: 'unusual text',
  name: (id: string): string | null =>
    /\/(?:character-clusters|neutralise-unusual|strip-control-sequences)\.js$/.test(id)
      ? 'unusual-text'
      : null,
}
/** Not needed to start the gateway, and its client not before a call. Zod is separate, because other packages use it too. */
const mcpSdk = {
  debugName: 'MCP SDK',
  name: (id: string): string | null => {
    if (/\/node_modules\/zod\//.test(id)) return 'zod'
    const [, half] = /\/node_modules\/@modelcontextprotocol\/(client|server|core)\//.exec(id) ?? []
    return half === undefined ? null : `mcp-sdk-${half}`
  },
}

rmSync(folder, { recursive: true, force: true })
const chunks = [
  ...(await bundle(
    'packages/cli/dist/main.js',
    {
      chunkFileNames,
      codeSplitting: {
        groups: [eachCheck, markdownLexer, unusualText, mcpSdk],
        includeDependenciesRecursively: false,
      },
    },
    [schemas, lazyRequires(), bundledInk()],
  )),
  // `curfew timeout` runs in front of other commands and has to start fastest: a single file.
  ...(await bundle('packages/cli/dist/timeout/main.js', {
    entryFileNames: 'timeout.cjs',
    codeSplitting: false,
  })),
  // Entry points of worker threads, under the names that `new URL` looks for. They need top-level await, so ES modules.
  ...(await bundle('packages/core/dist/execute/tool-thread-main.js', {
    format: 'esm',
    codeSplitting: false,
  })),
  ...(await bundle('packages/agent/dist/tools/search/search-thread.js', {
    format: 'esm',
    codeSplitting: false,
  })),
  ...(await bundle('packages/journal/dist/store/writer-thread.js', {
    format: 'esm',
    codeSplitting: false,
  })),
  ...(await bundle('packages/journal/dist/store/writer-thread.js', {
    format: 'esm',
    codeSplitting: false,
  })),
  ...(await bundle('packages/cli/dist/demo/scenes/blocking-tool.js', {
    format: 'esm',
    codeSplitting: false,
  })),
  // Its own process, for the same reason as a thread under this name.
  ...(await bundle('packages/agent/dist/tools/web/html-to-markdown-main.js', {
    format: 'esm',
    codeSplitting: false,
  })),
]
for (const name of lazyPackages)
  chunks.push(...(await bundle(name, { entryFileNames: lazyFile(name), codeSplitting: false })))
writeNotices('packages/cli/THIRD-PARTY-NOTICES.txt', chunks)

async function bundle(input: string, options: OutputOptions, plugins: Plugin[] = []): Promise<OutputChunk[]> {
  const build = await rolldown({
    input,
    platform: 'node',
    // The UMD build of jsonc-parser, its `main`, cannot be bundled.
    resolve: { mainFields: ['module', 'main'] },
    // They have native code and are optional.
    external: [/^node:/, '@napi-rs/keyring', '@vscode/ripgrep'],
    plugins: [...plugins, lazyImports()],
    // Of React; the variable itself would be inherited by commands.
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // Otherwise a chunk would load the SDK just because another chunk does.
    treeshake: {
      moduleSideEffects: [{ test: /\/node_modules\/@modelcontextprotocol\//, sideEffects: false }],
    },
    // Required by `includeDependenciesRecursively: false`.
    preserveEntrySignatures: 'allow-extension',
    // Rolldown 1.2 panics with both on.
    optimization: { inlineConst: false },
    experimental: { chunkOptimization: false },
  })
  const { output } = await build.write({
    dir: folder,
    format: 'cjs',
    entryFileNames: options.format === 'esm' ? '[name].js' : '[name].cjs',
    ...options,
  })
  await build.close()
  return output.filter((file) => file.type === 'chunk')
}

/** A package in `lazyPackages` stays a `require` of its file, on first use. */
function lazyRequires(): Plugin {
  return {
    name: 'lazy-requires',
    transform(code) {
      return code.replace(/^const require = createRequire\(import\.meta\.url\);$/m, '')
    },
    resolveId(id, importer) {
      if (!lazyPackages.includes(id) || !/\/packages\/\w+\/dist\//.test(importer ?? '')) return null
      return { id: `./${lazyFile(id)}`, external: true }
    },
  }
}

/** A package that is loaded on first use is named after itself; its main file has the same name as that of other packages. */
function chunkFileNames({ facadeModuleId }: PreRenderedChunk): string {
  const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/dist\/index\.js$/.exec(facadeModuleId ?? '') ?? []
  return name === undefined ? '[name].cjs' : `${name.replace('@', '').replace('/', '-')}.cjs`
}

function lazyFile(name: string): string {
  return `${name.replace(/\.js$/, '').replaceAll('/', '-')}.cjs`
}

/**
 * Other chunks and Node's own modules are loaded on first use as well: `node:http`, `node:crypto` and `node:worker_threads` take
 * several milliseconds each. Applies only if all uses have the form `name.export`.
 */
function lazyImports(): Plugin {
  return {
    name: 'lazy-imports',
    renderChunk(code) {
      let lazy = code
      for (const [line, name, call] of code.matchAll(
        /^(?:let|const) ([\w$]+) = (require\("(?:node:|\.\/)[^"]+"\));$/gm,
      )) {
        const use = `(?<![\\w$])${name!.replaceAll('$', '\\$')}`
        const uses = code.match(new RegExp(`${use}(?![\\w$])`, 'g'))!.length - 1
        const exportUse = new RegExp(`${use}\\.`, 'g')
        if (code.match(exportUse)?.length !== uses) continue
        // Functions as replacements, because of the special meaning of $.
        lazy = lazy
          // In parentheses, so that `new node_vm.Script()` still calls the constructor.
          .replaceAll(exportUse, () => `(${name}()).`)
          .replace(line, () => `let ${name} = () => ${name}_loaded ??= ${call}, ${name}_loaded;`)
      }
      return lazy
    },
  }
}
