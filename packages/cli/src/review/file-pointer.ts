import type { Origin } from './tool-source.ts'

/** Keywords of an API file's parameters; its other names mean something else there. */
const apiKeywords = new Set(['type', 'description', 'default', 'enum', 'items'])

/** Where in its file what a finding is about stands, or what it stands in. */
export function filePointer({ format, base }: Origin, pointer: string): string {
  if (format === 'server') return base
  if (format === 'list') return base + pointer
  return base + (exactPointer(format, pointer) ?? nearPointer(format, pointer))
}

/** Where a change of a definition has to be made in our own files; `null` if it is not one value there. */
export function exactPointer(format: 'script' | 'api', pointer: string): string | null {
  if (/^\/(name|description|usage|concurrent)$/.test(pointer)) return pointer
  if (pointer === '/timeout') return format === 'api' ? '/endpoint/timeout' : pointer
  const inSchema = /^\/inputSchema(\/.*)$/s.exec(pointer)?.[1]
  if (inSchema === undefined) return null
  if (format === 'script') return `/parameters${inSchema}`
  const [, name, keyword, rest = ''] = /^\/properties\/([^/]*)\/([^/]*)(\/.*)?$/s.exec(inSchema) ?? []
  if (name === undefined || keyword === undefined || !apiKeywords.has(keyword)) return null
  return `/parameters/${name}/${keyword}${rest}`
}

function nearPointer(format: 'script' | 'api', pointer: string): string {
  if (format === 'api') {
    const parameter = /^\/inputSchema\/properties(\/[^/]*)/.exec(pointer)?.[1]
    if (parameter !== undefined) return `/parameters${parameter}`
  }
  if (pointer.startsWith('/inputSchema')) return '/parameters'
  return pointer.startsWith('/review') ? pointer : ''
}
