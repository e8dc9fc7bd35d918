import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import type * as core from '@google/gemini-cli-core'
import type { ComponentType, createElement, memo } from 'react'

export interface GeminiCall {
  readonly request: { readonly callId: string; readonly name: string }
  readonly status: string
  readonly liveOutput?: unknown
}

/** What the published bundle of Gemini CLI contains: its hook, and the React and Ink that it was built with. */
export interface GeminiBundle {
  readonly core: typeof core
  readonly useToolScheduler: (
    onComplete: () => Promise<void>,
    config: core.Config,
    getPreferredEditor: () => undefined,
  ) => readonly [
    calls: readonly GeminiCall[],
    schedule: (requests: core.ToolCallRequest[], signal: AbortSignal) => Promise<unknown>,
  ]
  readonly react: {
    readonly createElement: typeof createElement
    readonly memo: typeof memo
    readonly version: string
  }
  readonly render: (node: unknown, options: object) => void
  readonly Box: ComponentType<{ readonly flexDirection: 'column'; readonly children?: unknown }>
  readonly Text: ComponentType<{ readonly wrap: 'truncate'; readonly children?: unknown }>
}

const folder = new URL('../node_modules/@google/gemini-cli/bundle/', import.meta.url)
const names = ['useToolScheduler', 'require_react', 'render_default', 'Box_default', 'Text']

/** The bundle exports only its entry point, so one line that exports the rest is added while it is loaded. */
export async function loadGeminiBundle(): Promise<GeminiBundle> {
  const main = imported('gemini.js', 'gemini')
  const core = new URL(imported('gemini.js', 'dist'), folder).href
  const ui = new URL(imported(main, 'interactiveCli'), folder).href
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url !== ui) return loaded
      return { ...loaded, source: `${String(loaded.source)}\nexport { ${names.join(', ')} }\n` }
    },
  })
  const module = await import(ui)
  hooks.deregister()
  return {
    core: await import(core),
    useToolScheduler: module.useToolScheduler,
    react: module.require_react(),
    render: module.render_default,
    Box: module.Box_default,
    Text: module.Text,
  }
}

/** The chunk with this name that a file of the bundle imports. */
function imported(file: string, name: string): string {
  const source = readFileSync(new URL(file, folder), 'utf8')
  const found = new RegExp(`import\\("(\\./${name}-[A-Z0-9]+\\.js)"\\)`).exec(source)?.[1]
  if (found === undefined) throw new Error(`expected ${file} of Gemini CLI to import ${name}-*.js`)
  return found
}
