/** Red, green and blue, from 0 to 1. */
export type Rgb = readonly [red: number, green: number, blue: number]

/** The relative luminance of WCAG 2: 0 is black, 1 is white. */
export function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** Text on a background of this luminance contrasts equally with black and white. */
const middle = 0.179

export function isLight(color: Rgb): boolean {
  return luminance(color) > middle
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
