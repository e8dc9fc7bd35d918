/** Replaces the comments and trailing commas of JSON by spaces, so that all positions stay the same. */
export function blankComments(text: string): string {
  const blank = (piece: string): string => piece.replace(/[^\r\n]/g, ' ')
  return text
    .replace(/^\uFEFF/, ' ')
    .replace(
      /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (piece, kept: string | undefined) => kept ?? blank(piece),
    )
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, kept: string | undefined) => kept ?? ' ')
}
