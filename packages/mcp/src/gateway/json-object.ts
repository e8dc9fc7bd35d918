/** A part of a message whose fields are not known by type. */
export type JsonObject = Record<string, unknown>
