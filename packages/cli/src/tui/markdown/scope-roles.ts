import type { Role } from '../theme/theme.ts'

const byScope: Readonly<Record<string, readonly Role[]>> = {
  keyword: ['keyword'],
  literal: ['number'],
  number: ['number'],
  string: ['string'],
  regexp: ['string'],
  symbol: ['string'],
  char: ['string'],
  subst: [],
  comment: ['comment'],
  quote: ['comment'],
  title: ['function'],
  'title function_': ['function'],
  'title class_': ['type'],
  'title class_ inherited__': ['type'],
  built_in: ['type'],
  type: ['type'],
  class: ['type'],
  attr: ['function'],
  attribute: ['function'],
  meta: ['keyword'],
  tag: [],
  name: ['keyword'],
  'selector-tag': ['keyword'],
  'selector-class': ['type'],
  'selector-id': ['type'],
  'selector-pseudo': ['function'],
  'selector-attr': ['function'],
  section: ['heading'],
  addition: ['added'],
  deletion: ['removed'],
  strong: ['strong'],
  emphasis: ['emphasis'],
  link: ['link'],
  code: ['code'],
  bullet: ['accent'],
}

/** The roles for the classes of a `span` that highlight.js has written; `undefined` if it looks like the code around it. */
export function scopeRoles(classes: string): readonly Role[] | undefined {
  const scope = classes.replace(/^hljs-/, '')
  return Object.hasOwn(byScope, scope) ? byScope[scope] : undefined
}
