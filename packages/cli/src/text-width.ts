import { forEachCluster } from './character-clusters.ts'

const plain = /^[ -~]*$/

/** The width in terminal columns. Replaces string-width, which takes longer to load than most commands take to run: docs/decisions/0013. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  forEachCluster(text, (_, clusterWidth) => {
    width += clusterWidth
  })
  return width
}
