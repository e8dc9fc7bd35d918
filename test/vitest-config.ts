import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProjectInlineConfiguration, ViteUserConfig } from 'vitest/config'
import { both, slowOnly } from './selection.ts'

const root = join(import.meta.dirname, '..')
const kinds = ['unit', 'process', 'network', 'terminal'] as const

/** `slow`: what takes too long for every run, and tests that do five times as much as in the fast one. `all`: any file by its name. */
export type Selection = 'fast' | 'slow' | 'all'

/** One project per kind of test, which the name of a file shows. */
export function vitestConfig(selection: Selection): ViteUserConfig {
  return {
    test: {
      reporters: ['default', './scripts/count-reporter.ts'],
      globalSetup: './test/leave-nothing-behind.ts',
      // Many tests wait for processes, so more workers than cores are faster on a small machine.
      maxWorkers: 3,
      projects: kinds.map((kind) => project(kind, selection)),
    },
  }
}

/** Tests next to the source are unit tests. */
function kindOf(file: string): string {
  return /\.(process|network|terminal)\.test\.tsx?$/.exec(file)?.[1] ?? 'unit'
}

function project(kind: (typeof kinds)[number], selection: Selection): TestProjectInlineConfiguration {
  const include = [
    `{packages/*/test,examples,test}/**/*.${kind}.test.{ts,tsx}`,
    ...(kind === 'unit' ? ['packages/*/src/**/*.test.{ts,tsx}'] : []),
  ]
  const slow = () => globSync([...slowOnly, ...both], { cwd: root }).filter((file) => kindOf(file) === kind)
  const timeout = { fast: kind === 'unit' ? 60_000 : 120_000, slow: 600_000, all: 600_000 }[selection]
  const common = {
    name: kind,
    include: selection === 'slow' ? slow() : include,
    exclude: ['**/node_modules/**', ...(selection === 'fast' ? slowOnly : [])],
    ...(selection === 'slow' && { env: { CURFEW_TEST_SCALE: '5' } }),
    testTimeout: timeout,
    hookTimeout: timeout,
  }
  if (kind !== 'unit')
    return {
      test: { ...common, globalSetup: './test/require-build.ts', setupFiles: './test/setup/seeds.ts' },
    }
  return {
    resolve: { alias: sources() },
    test: {
      ...common,
      setupFiles: ['./test/setup/seeds.ts', './test/setup/unit-only.ts'],
      isolate: false,
      typecheck: {
        enabled: selection === 'fast',
        include: ['packages/*/src/**/*.test-d.ts'],
        tsconfig: 'tsconfig.check.json',
      },
    },
  }
}

/** Makes imports of our packages load their source, so that unit tests need no build. */
function sources(): { find: RegExp; replacement: string }[] {
  return readdirSync(join(root, 'packages')).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8'))
    return Object.entries<string | { default?: string; import?: { default: string } }>(
      manifest.exports ?? {},
    ).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return []
      const built = target.import?.default ?? target.default!
      const source = built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')
      return {
        find: new RegExp(`^${manifest.name}${subpath.slice(1)}$`),
        replacement: join(root, 'packages', folder, source),
      }
    })
  })
}
