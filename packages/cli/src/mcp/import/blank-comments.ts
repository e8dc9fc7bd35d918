/** JSON without its comments and trailing commas, and everything else where it was: spaces stand in their place. */
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
