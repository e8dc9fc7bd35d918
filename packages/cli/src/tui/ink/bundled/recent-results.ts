/** The results of a function for the arguments of the last calls: at least `size` of them, at most twice as many. */
export class RecentResults<Value> {
  #recent = new Map<string, Value>()
  #older = new Map<string, Value>()
  readonly #size: number

  constructor(size: number) {
    this.#size = size
  }

  get(key: string, compute: () => Value): Value {
    const known = this.#recent.get(key)
    if (known !== undefined) return known
    const value = this.#older.get(key) ?? compute()
    if (this.#recent.size >= this.#size) {
      this.#older = this.#recent
      this.#recent = new Map()
    }
    this.#recent.set(key, value)
    return value
  }
}
