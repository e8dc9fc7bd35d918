/** Only the part that the benches use, so that types can be checked without installing it. */
declare module 'execa' {
  export function execa(
    file: string,
    args: readonly string[],
    options: {
      readonly timeout?: number
      readonly forceKillAfterDelay?: number
      readonly detached?: boolean
      readonly killDescendants?: boolean
      readonly buffer?: boolean
      readonly reject?: boolean
      readonly stdin?: 'ignore'
    },
  ): Promise<object>
}
