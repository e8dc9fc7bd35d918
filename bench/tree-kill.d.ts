/** The little of it that is used here, so that the types can be checked without installing it. */
declare module 'tree-kill' {
  export default function treeKill(pid: number, signal: string): void
}
