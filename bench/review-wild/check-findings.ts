import type { Finding } from '@curfew/review'

/** Whether a default is proposed whose value does not occur in the definition after the word "default". */
export function isInvented({ rewrite }: Finding, definition: object): boolean {
  if (rewrite === null || !rewrite.includes('"default": ')) return false
  const text = JSON.stringify(definition).replaceAll('\\"', '"')
  return [...rewrite.matchAll(/"default": ("[^"]*"|[^\s,}]+)/g)].some(([, value]) => {
    const plain = value!.replaceAll('"', '').replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    return !new RegExp(`\\bdefault\\w*[^.]{0,20}${plain}`, 'i').test(text)
  })
}

/** Findings on `$defs` that nothing refers to, and on parameters with a single possible value. */
export function countMisplaced(
  findings: readonly { readonly finding: Finding; readonly definition: object }[],
): number {
  return findings.filter(({ finding: { rule, pointer }, definition }) => {
    const [, keyword, name] = /^\/inputSchema\/(\$defs|definitions)\/([^/]+)/.exec(pointer) ?? []
    const text = JSON.stringify(definition)
    if (name !== undefined && !text.includes(`"$ref":"#/${keyword}/${name}"`)) return true
    if (rule !== 'parameter-description' && rule !== 'optional-default') return false
    const schema = nodeAt(definition, pointer) as { const?: unknown; enum?: unknown[] } | undefined
    return schema?.const !== undefined || schema?.enum?.length === 1
  }).length
}

function nodeAt(root: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, key) => (node as Record<string, unknown> | undefined)?.[key], root)
}

/** A warning or an error. */
export function isSerious({ severity }: Finding): boolean {
  return severity !== 'note'
}
