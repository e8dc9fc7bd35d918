import type { Key } from 'ink'
import { StateStore } from '../state-store.ts'
export class InputEditor {
  readonly store: StateStore<{ text: string }> = new StateStore({ text: '' })
  hasPopup = false
  onSubmit: (text: string) => void = () => {}
  get text(): string {
    return this.store.getSnapshot().text
  }
  setText(text: string): void {
    this.store.set({ text })
  }
  handleKey(input: string, key: Key): boolean {
    if (key.return) {
      const { text } = this
      this.setText('')
      this.onSubmit(text)
    } else if (key.backspace || key.delete) this.setText(this.text.slice(0, -1))
    else if (!key.ctrl && !key.meta) this.setText(this.text + input)
    return true
  }
  paste(text: string): boolean {
    this.setText(this.text + text)
    return true
  }
}
