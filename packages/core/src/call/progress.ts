export interface Progress {
  readonly current: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}
