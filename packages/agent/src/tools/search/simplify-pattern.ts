import type { PatternNode } from './search-pattern.ts'

/**
 * Removes what does not change which lines match: repetitions at the start and at the end need only their minimum, because a match may start
 * and end anywhere. `.*foo\w+` becomes `foo\w`, which takes much less time.
 */
export function simplifyPattern(node: PatternNode): PatternNode {
  return simplifyEdge(simplifyEdge(node, 'start'), 'end')
}

function simplifyEdge(node: PatternNode, edge: 'start' | 'end'): PatternNode {
  switch (node.type) {
    case 'alternatives':
      return { ...node, nodes: node.nodes.map((child) => simplifyEdge(child, edge)) }
    case 'repeat':
      if (node.min === 0) return empty
      return node.min === 1 ? simplifyEdge(node.node, edge) : { ...node, max: node.min }
    case 'sequence':
      return simplifySequence(node.nodes, edge)
    default:
      return node
  }
}

const empty: PatternNode = { type: 'sequence', nodes: [] }

function simplifySequence(nodes: readonly PatternNode[], edge: 'start' | 'end'): PatternNode {
  const rest = [...nodes]
  while (rest.length > 0) {
    const simplified = simplifyEdge(edge === 'start' ? rest.shift()! : rest.pop()!, edge)
    if (simplified.type === 'sequence' && simplified.nodes.length === 0) continue
    return { type: 'sequence', nodes: edge === 'start' ? [simplified, ...rest] : [...rest, simplified] }
  }
  return empty
}
