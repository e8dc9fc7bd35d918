import type { Rule } from '../review-types.ts'
import { additionalProperties } from './additional-properties.ts'
import { agentInstruction } from './agent-instruction.ts'
import { annotationContradiction, annotationOverclaim, concurrentWrites } from './annotations.ts'
import { argvString } from './argv-string.ts'
import { confusableLetters, hiddenCharacters } from './deceptive-characters.ts'
import { boundsReversed, defaultInEnum, defaultRange, defaultType } from './default-values.ts'
import {
  descriptionLength,
  descriptionMarkdown,
  descriptionMissing,
  descriptionSentence,
  maxDescriptionLength,
} from './description-form.ts'
import { englishOnly } from './english-only.ts'
import { enumInProse } from './enum-in-prose.ts'
import { nameGeneric, nameNearDuplicate, nameSeparators } from './naming.ts'
import { descriptionComparison, phraseCheck } from './off-topic.ts'
import { optionalDefault } from './optional-default.ts'
import { parameterDescription } from './parameter-description.ts'
import { requiredDefault, requiredUnknown } from './required-parameters.ts'
import { schemaKeywords } from './schema-keywords.ts'
import { defineRule, type RuleDefinition } from './support/define-rule.ts'
import { textMismatch } from './text-mismatch.ts'
import { typeMissing } from './type-missing.ts'
import { unknownReference } from './unknown-reference.ts'
import { emptySchema, schemaRoot, schemaSize } from './whole-schema.ts'

/** A warning about Curfew's own format, a note about published definitions. */
const milder = { own: 'warning', published: 'note' } as const

/** Every rule by its id: its severity, what it demands, and the check. In the order of the report. */
const definitions: Readonly<Record<string, RuleDefinition>> = {
  'annotation-contradiction': ['error', 'The annotations match what the tool does.', annotationContradiction],
  'annotation-overclaim': [
    'warning',
    'A tool that only reads is not marked destructive.',
    annotationOverclaim,
  ],
  'agent-instruction': ['warning', 'The text does not give orders to the agent.', agentInstruction],
  'name-generic': [milder, 'The name says what the tool does, and to what.', nameGeneric],
  'name-separators': [
    'warning',
    'The words of a name are all separated in the same way, which every client accepts.',
    nameSeparators,
  ],
  'name-near-duplicate': [milder, 'No other tool has nearly the same name.', nameNearDuplicate],
  'description-missing': ['error', 'There is a description.', descriptionMissing],
  'description-sentence': [
    milder,
    'The description is one sentence that begins with an imperative verb.',
    descriptionSentence,
  ],
  // When to call a tool belongs in `usage`, which the full view shows.
  'description-trigger': [
    milder,
    'The description does not say when to call the tool.',
    phraseCheck('trigger', 'says when to call the tool'),
  ],
  'description-comparison': [milder, 'The description does not mention other tools.', descriptionComparison],
  'description-workflow': [
    milder,
    'The description does not say what to do before or after the call.',
    phraseCheck('workflow', 'says what to do before or after the call'),
  ],
  // The result's format does not help to make the call, and it has its own schema.
  'description-output': [
    milder,
    'The description does not specify the result.',
    phraseCheck('output', 'specifies the result'),
  ],
  'description-markdown': [milder, 'The description is plain text.', descriptionMarkdown],
  'description-length': [
    milder,
    `The description has at most ${maxDescriptionLength} characters.`,
    descriptionLength,
  ],
  'english-only': ['warning', 'Names and descriptions are in English.', englishOnly],
  'confusable-letters': ['error', 'No word contains letters that only look Latin.', confusableLetters],
  'hidden-characters': [
    'error',
    'No string contains invisible or direction-changing characters.',
    hiddenCharacters,
  ],
  'unknown-reference': ['warning', 'The tools and parameters that the text names exist.', unknownReference],
  'empty-schema': ['error', 'Parameters that the text names are in the schema.', emptySchema],
  'parameter-description': [
    'warning',
    'Every parameter has a description, including nested ones.',
    parameterDescription,
  ],
  'enum-in-prose': ['warning', 'Choices that the text lists are in the schema.', enumInProse],
  'optional-default': [milder, 'Optional parameters declare a default.', optionalDefault],
  'text-mismatch': ['warning', 'The text and the schema state the same defaults and ranges.', textMismatch],
  'required-default': ['warning', 'Required parameters have no default.', requiredDefault],
  'schema-root': ['error', 'The input schema has the type object.', schemaRoot],
  'schema-keywords': ['error', 'Every schema keyword has a valid value.', schemaKeywords],
  'type-missing': ['warning', 'Every parameter has a type, and every array declares its items.', typeMissing],
  'argv-string': [
    'error',
    'A command with its arguments is an array of strings, not one string.',
    argvString,
  ],
  'default-type': ['error', 'A default has the declared type.', defaultType],
  'default-in-enum': ['error', 'A default is one of the enum values.', defaultInEnum],
  'default-range': ['error', 'A default is within its bounds.', defaultRange],
  'bounds-reversed': ['error', 'A lower bound does not exceed its upper bound.', boundsReversed],
  'required-unknown': ['error', 'Every required name is a declared property.', requiredUnknown],
  'additional-properties': [
    milder,
    'Every object declares whether it allows additional properties.',
    additionalProperties,
  ],
  'schema-size': ['note', 'The schema is not too deep or too large to be reviewed.', schemaSize],
  'concurrent-writes': ['warning', 'Only read-only tools are concurrent.', concurrentWrites],
}

/** All rules on the brief view (name, description, parameters). */
export const rules: readonly Rule[] = Object.entries(definitions).map(([id, definition]) =>
  defineRule(id, ...definition),
)
