import type { Rule } from '../review-types.ts'
import { additionalProperties } from './additional-properties.ts'
import { agentInstruction } from './agent-instruction.ts'
import { annotationContradiction } from './annotation-contradiction.ts'
import { annotationOverclaim } from './annotation-overclaim.ts'
import { argvString } from './argv-string.ts'
import { boundsReversed } from './bounds-reversed.ts'
import { concurrentWrites } from './concurrent-writes.ts'
import { confusableLetters } from './confusable-letters.ts'
import { defaultInEnum } from './default-in-enum.ts'
import { defaultRange } from './default-range.ts'
import { defaultType } from './default-type.ts'
import { descriptionComparison } from './description-comparison.ts'
import { descriptionLength } from './description-length.ts'
import { descriptionMarkdown } from './description-markdown.ts'
import { descriptionMissing } from './description-missing.ts'
import { descriptionOutput } from './description-output.ts'
import { descriptionSentence } from './description-sentence.ts'
import { descriptionTrigger } from './description-trigger.ts'
import { descriptionWorkflow } from './description-workflow.ts'
import { emptySchema } from './empty-schema.ts'
import { englishOnly } from './english-only.ts'
import { enumInProse } from './enum-in-prose.ts'
import { hiddenCharacters } from './hidden-characters.ts'
import { nameGeneric } from './name-generic.ts'
import { nameNearDuplicate } from './name-near-duplicate.ts'
import { nameSeparators } from './name-separators.ts'
import { optionalDefault } from './optional-default.ts'
import { parameterDescription } from './parameter-description.ts'
import { requiredDefault } from './required-default.ts'
import { requiredUnknown } from './required-unknown.ts'
import { schemaKeywords } from './schema-keywords.ts'
import { schemaRoot } from './schema-root.ts'
import { schemaSize } from './schema-size.ts'
import { textMismatch } from './text-mismatch.ts'
import { typeMissing } from './type-missing.ts'
import { unknownReference } from './unknown-reference.ts'

/** All rules on the brief view (name, description, parameters), in the order of the report. */
export const rules: readonly Rule[] = [
  annotationContradiction,
  annotationOverclaim,
  agentInstruction,
  nameGeneric,
  nameSeparators,
  nameNearDuplicate,
  descriptionMissing,
  descriptionSentence,
  descriptionTrigger,
  descriptionComparison,
  descriptionWorkflow,
  descriptionOutput,
  descriptionMarkdown,
  descriptionLength,
  englishOnly,
  confusableLetters,
  hiddenCharacters,
  unknownReference,
  emptySchema,
  parameterDescription,
  enumInProse,
  optionalDefault,
  textMismatch,
  requiredDefault,
  schemaRoot,
  schemaKeywords,
  typeMissing,
  argvString,
  defaultType,
  defaultInEnum,
  defaultRange,
  boundsReversed,
  requiredUnknown,
  additionalProperties,
  schemaSize,
  concurrentWrites,
]
