/** A JSON Schema for an object of parameters: 2020-12, or draft-07 if its `$schema` names that. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/**
 * The type that a literal JSON Schema describes. Where the type cannot be inferred (a `$ref`, a pattern), it is `unknown`, so the
 * tool has to narrow it.
 */
export type FromJsonSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromJsonSchema<A>
      : S extends { readonly oneOf: readonly (infer O)[] }
        ? FromJsonSchema<O>
        : S extends { readonly type: infer T }
          ? FromType<S, T>
          : unknown

type FromType<S, T> = T extends readonly (infer Member)[]
  ? FromType<S, Member>
  : T extends 'string'
    ? string
    : T extends 'number' | 'integer'
      ? number
      : T extends 'boolean'
        ? boolean
        : T extends 'null'
          ? null
          : T extends 'array'
            ? S extends { readonly items: infer Items }
              ? FromJsonSchema<Items>[]
              : unknown[]
            : T extends 'object'
              ? FromObject<S>
              : unknown

type FromObject<S> = S extends { readonly properties: infer P }
  ? Simplify<
      { -readonly [K in PresentKeys<S, P>]: FromJsonSchema<P[K]> } & {
        -readonly [K in Exclude<keyof P, PresentKeys<S, P>>]?: FromJsonSchema<P[K]>
      }
    >
  : { [key: string]: unknown }

/** Required properties and those with a default, because defaults are applied before the tool runs. */
type PresentKeys<S, P> =
  | (S extends { readonly required: readonly (infer R)[] } ? Extract<keyof P, R> : never)
  | { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]

type Simplify<T> = { [K in keyof T]: T[K] } & {}
