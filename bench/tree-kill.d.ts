/** Only the part that the benches use, so that types can be checked without installing it. */
declare module 'tree-kill' {
  export default function treeKill(pid: number, signal: string): void
}
