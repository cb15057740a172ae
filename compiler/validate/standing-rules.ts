import type { JsonObject } from '../../schemas/wire/json.ts';
import { beyondBounds } from '../../semantics/template/bounds.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { StandingManifest } from '../load/manifest.ts';
import { schemaOf } from './known-fields.ts';
import { metadataRules } from './pod-rules.ts';
import { reservedKeyRules } from './reserved-key-rules.ts';
import { type Locate, schemaDiagnostics } from './schema-errors.ts';
import { validPart } from './valid-part.ts';
import { beyondBoundsFault, scopeRules, withKnownVersion } from './validate.ts';
import { plainFault, unsupportedRules, versionRules } from './workload-rules.ts';

/**
 * All diagnostics about one manifest that is reconciled at once, by itself: its schema, the rules of its kind, and the fields that
 * this version does not execute.
 */
export function validateStanding(manifest: StandingManifest, locate: Locate): Diagnostic[] {
  const { object, type } = manifest;
  const beyond = beyondBounds(object);
  if (beyond !== undefined) return [beyondBoundsFault(beyond, locate)];
  const schema = schemaOf(type.id);
  const shape = schema.validate(withKnownVersion(manifest));
  const sound = validPart(object, shape);
  const { metadata } = object;
  return [
    ...schemaDiagnostics(shape, schema.definition, object, [], locate),
    ...scopeRules(manifest, locate),
    ...metadataRules(object, sound.isFaulty, locate),
    ...reservedKeyRules({ metadata: metadata as unknown as JsonObject }, [], 'target', locate),
    ...type
      .validate(sound.object)
      .filter(({ path }) => !sound.isFaulty(...path))
      .map((fault) => plainFault(fault, locate, sound.object)),
    ...versionRules(type, object, locate),
    ...unsupportedRules(type, sound.object, locate, 'KR2136'),
  ];
}
