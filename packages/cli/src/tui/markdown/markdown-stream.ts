export class MarkdownStream {
  pending = ''
  #finished: string[] = []
  push(text: string): void {
    this.pending += text
    const at = this.pending.lastIndexOf('\n\n')
    if (at < 0) return
    this.#finished.push(this.pending.slice(0, at))
    this.pending = this.pending.slice(at + 2)
  }
  takeFinished(): string[] {
    return this.#finished.splice(0)
  }
  end(): void {
    if (this.pending.trim() !== '') this.#finished.push(this.pending)
    this.pending = ''
  }
}
