/** `14,997`, without loading the locales that `toLocaleString` needs. */
export function groupDigits(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
