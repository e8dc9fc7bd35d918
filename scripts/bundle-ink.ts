import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'

/** Makes Ink loadable in a CommonJS bundle, and fast to start: docs/decisions/0025-ink-in-the-bundle.md. */
export function bundledInk(): Plugin {
  return {
    name: 'ink',
    async resolveId(id, importer) {
      if (id === 'yoga-layout') return yogaId
      if (id !== 'string-width') return null
      return importer === ourStringWidth ? await this.resolve(id, ink, { skipSelf: true }) : ourStringWidth
    },
    load(id) {
      if (id !== yogaId) return null
      this.emitFile({ type: 'asset', fileName: 'yoga.wasm', source: wasm })
      return synchronousYoga
    },
    transform(code, id) {
      let edited = code
      for (const { file, from, to } of edits) {
        if (!id.endsWith(file)) continue
        const before = edited
        edited = edited.replace(from, to)
        // An update of a package must not undo this unnoticed.
        if (edited === before) throw new Error(`${file}: expected to find ${String(from)}`)
      }
      return edited === code ? null : edited
    },
  }
}

const ink = fileURLToPath(import.meta.resolve('ink'))
const ours = fileURLToPath(new URL('../packages/cli/dist/tui/ink/bundled', import.meta.url))
const ourStringWidth = `${ours}/string-width.js`

const yoga = dirname(dirname(fileURLToPath(import.meta.resolve('yoga-layout'))))
const yogaId = '\0yoga-layout'
const yogaBinary = 'yoga-layout/dist/binaries/yoga-wasm-base64-esm.js'
const dataUrl = /"data:application\/octet-stream;base64,([^"]{1000,})"/
const wasm = Buffer.from(
  dataUrl.exec(readFileSync(`${yoga}/binaries/yoga-wasm-base64-esm.js`, 'utf8'))![1]!,
  'base64',
)
/** The package itself awaits the instantiation, and decodes a data URL with `fetch`. */
const synchronousYoga = `
import { readFileSync } from 'node:fs'
import instantiate from '${yoga}/binaries/yoga-wasm-base64-esm.js'
import wrapAssembly from '${yoga}/src/wrapAssembly.js'
const library = {
  instantiateWasm(imports, receive) {
    const module = new WebAssembly.Module(readFileSync(new URL('./yoga.wasm', import.meta.url)))
    receive(new WebAssembly.Instance(module, imports))
    return {}
  },
}
instantiate(library)
export default wrapAssembly(library)
export * from '${yoga}/src/generated/YGEnums.js'
`

const outputFile = 'ink/build/output.js'
const styledCharactersFile = '@alcalzone/ansi-tokenize/build/styledChars.js'

interface Edit {
  /** The end of a path. */
  readonly file: string
  readonly from: RegExp
  readonly to: string
}

const lazySegmenter = (file: string): Edit[] => [
  { file, from: /new Intl\.Segmenter\([^)]*\)/, to: 'graphemeSegmenter' },
  { file, from: /^/, to: `import { graphemeSegmenter } from '${ours}/../grapheme-segmenter.js'\n` },
]

const edits: readonly Edit[] = [
  // Frames cost a third.
  { file: outputFile, from: /^export default class Output /m, to: 'class Output ' },
  {
    file: outputFile,
    from: /$/,
    to: `\nimport { withCachedRows } from '${ours}/cached-rows.js'\nexport default withCachedRows(Output)\n`,
  },
  {
    file: styledCharactersFile,
    from: /else (\{\s*ret \+= ansiCodesToString\(diffAnsiCodes\(chars\[i - 1\]\.styles, char\.styles\)\);)/,
    to: 'else if (!sameStyles(chars[i - 1].styles, char.styles)) $1',
  },
  {
    file: styledCharactersFile,
    from: /^/,
    to: `import { sameStyles } from '${ours}/same-styles.js'\n`,
  },
  // A terminal that was resized has wrapped the last frame.
  {
    file: 'ink/build/log-update.js',
    from: /buildEraseFrame\(previousLines\.length, previousCursorPosition\)/,
    to: 'eraseFrame(previousLines, previousCursorPosition, stream.columns)',
  },
  {
    file: 'ink/build/log-update.js',
    from: /^/,
    to: `import { eraseFrame } from '${ours}/erase-frame.js'\n`,
  },
  // The signal for a new size may be on its way: a frame for the old one would move the cursor to wrong rows.
  {
    file: 'ink/build/ink.js',
    from: /^ {4}onRender = \(\) => \{\n/m,
    to: '$&        if (!this.isUnmounted && !this.isSuspended) this.options.stdout._refreshSize?.();\n',
  },
  // A separate file.
  { file: yogaBinary, from: dataUrl, to: '""' },
  // The connection to React's developer tools, which awaits at the top level.
  {
    file: 'ink/build/reconciler.js',
    from: /^if \(process\.env\['DEV'\] === 'true'\) \{\n[\s\S]*?^\}\n([\s\S]*?)^if \(process\.env\['DEV'\] === 'true'\) \{\n[\s\S]*?^\}\n/m,
    to: '$1',
  },
  { file: 'ink/build/ink.js', from: /process\.env\['DEV'\] === 'true'/, to: 'false' },
  // An error of a component is reported by whoever awaits the app; showing the source code around it takes two more packages.
  { file: 'ink/build/components/ErrorOverview.js', from: /^[\s\S]*$/, to: 'export default () => null' },
  ...[
    '@alcalzone/ansi-tokenize/build/tokenize.js',
    'cli-truncate/index.js',
    'ink/build/line-update.js',
    'slice-ansi/tokenize-ansi.js',
    'string-width/index.js',
    'wrap-ansi/index.js',
  ].flatMap(lazySegmenter),
]
