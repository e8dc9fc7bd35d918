/** Declared here because the types of highlight.js add those of a browser to the whole program. */
declare module 'highlight.js/lib/languages/*' {
  const language: (core: object) => object
  export default language
}
