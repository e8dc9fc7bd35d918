/** Replaces what differs from run to run, so that the image changes only if what is shown changes. */
export function settleScreen(screen: string): string {
  return screen
    .replace(/[⠀-⣿]/g, '⠹')
    .replace(/\b\d+ ms\b/g, '12 ms')
    .replace(/quiet for \d+ s/g, 'quiet for 20 s')
}
