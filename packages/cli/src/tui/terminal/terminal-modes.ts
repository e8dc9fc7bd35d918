/** Modes that would disturb a shell, in the order in which they are ended, and how they are changed. */
const modes = {
  synchronized: { number: 2026, isOnByDefault: false },
  paste: { number: 2004, isOnByDefault: false },
  focus: { number: 1004, isOnByDefault: false },
  alternateScreen: { number: 1049, isOnByDefault: false },
  cursor: { number: 25, isOnByDefault: true },
} as const
type Mode = keyof typeof modes

const changes = new RegExp(
  `\u001b\\[(?:\\?(${Object.values(modes)
    .map(({ number }) => number)
    .join('|')})([hl])|>(\\d*)u|<(\\d*)u)`,
  'g',
)

/**
 * Knows what the terminal was switched to, whoever did that: everything is written through `stdout`. Ink ends its own modes when it is
 * unmounted or suspended, but not if it fails, and knows nothing about those of others.
 */
export class TerminalModes {
  /** To be passed to Ink. */
  readonly stdout: NodeJS.WriteStream
  readonly #target: NodeJS.WriteStream
  /** Those that differ from the default. */
  readonly #changed = new Set<Mode>()
  /** The flags of the kitty keyboard protocol, which are on a stack. */
  #keyboards: string[] = []

  constructor(target: NodeJS.WriteStream = process.stdout) {
    this.#target = target
    const write = (data: string | Uint8Array, ...more: unknown[]): boolean => {
      if (typeof data === 'string' && data.includes('\u001b[')) this.#scan(data)
      return (target.write as (...all: unknown[]) => boolean)(data, ...more)
    }
    this.stdout = new Proxy(target, {
      get(_, name) {
        if (name === 'write') return write
        const value: unknown = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  /** Ends all modes. Returns a function that starts them again. */
  suspend(): () => void {
    const keyboards = this.#keyboards
    const changed = (Object.keys(modes) as Mode[]).filter((mode) => this.#changed.has(mode))
    this.#keyboards = []
    this.#changed.clear()
    const ends = changed.map((mode) => sequence(mode, modes[mode].isOnByDefault))
    this.#write('\u001b[<u'.repeat(keyboards.length) + ends.join(''))
    return () => {
      // A frame is never drawn in two parts.
      const again = changed.filter((mode) => mode !== 'synchronized').reverse()
      const starts = again.map((mode) => sequence(mode, !modes[mode].isOnByDefault))
      this.stdout.write(starts.join('') + keyboards.map((flags) => `\u001b[>${flags}u`).join(''))
    }
  }

  /** Ends all modes, and styles. */
  reset(): void {
    this.suspend()
    this.#write('\u001b[0m')
  }

  #scan(data: string): void {
    for (const [, number, isOn, pushed, popped] of data.matchAll(changes)) {
      if (pushed !== undefined) this.#keyboards.push(pushed)
      else if (popped !== undefined) this.#keyboards.splice(-(Number(popped) || 1))
      else this.#change(Number(number), isOn === 'h')
    }
  }

  #change(number: number, isOn: boolean): void {
    const [mode, { isOnByDefault }] = Object.entries(modes).find(([, one]) => one.number === number)!
    if (isOn === isOnByDefault) this.#changed.delete(mode as Mode)
    else this.#changed.add(mode as Mode)
  }

  /** The terminal may be gone. */
  #write(text: string): void {
    try {
      if (text !== '' && !this.#target.destroyed) this.#target.write(text)
    } catch {}
  }
}

function sequence(mode: Mode, isOn: boolean): string {
  return `\u001b[?${modes[mode].number}${isOn ? 'h' : 'l'}`
}
