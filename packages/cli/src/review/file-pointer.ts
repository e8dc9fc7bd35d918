import type { Origin } from './tool-source.ts'

/** Schema keywords that an API file's parameters have, too. */
const apiKeywords = new Set(['type', 'description', 'default', 'enum', 'items'])

/** The pointer into the file for a pointer into the definition, or the closest enclosing one. */
export function filePointer({ format, base }: Origin, pointer: string): string {
  if (format === 'server') return base
  if (format === 'list') return base + pointer
  return base + (exactPointer(format, pointer) ?? nearPointer(format, pointer))
}

/** The pointer into a tool.json or API file; `null` if it does not correspond to a single value there. */
export function exactPointer(format: 'script' | 'api', pointer: string): string | null {
  if (/^\/(name|description|usage|concurrent|readOnly|idempotent)$/.test(pointer)) return pointer
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
