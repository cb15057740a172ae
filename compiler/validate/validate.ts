import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import { normalizeCloneSet } from '../../semantics/cloneset/normalize.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createLocator } from '../load/locate.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { Manifest } from '../load/manifests.ts';
import { cloneSetRules, unsupportedRules } from './cloneset-rules.ts';
import { POD_TEMPLATE, schemaOf } from './known-fields.ts';
import { schemaDiagnostics } from './schema-errors.ts';
import { reservedKeyRules } from './reserved-key-rules.ts';
import { soundPart } from './sound.ts';
import type { Locate } from './schema-errors.ts';
import { templateRules } from './template-rules.ts';
import type { ImagePolicy } from './template-rules.ts';

const TEMPLATE = ['spec', 'template'];

/** A finder of places for one manifest. */
export function locateIn(manifest: Manifest, locator = createLocator()): Locate {
  return (path, part) => locator(manifest.origin, path, part);
}

/**
 * Everything that is wrong with one manifest by itself. The rules beyond the schema are judged of what fits it, and where
 * they ask of nothing that does not: one mistake shall not be told three times.
 */
export function validateManifest(manifest: Manifest, images: ImagePolicy, locate: Locate): Diagnostic[] {
  const { object } = manifest;
  const schema = schemaOf(groupKindOf(object));
  const shape = schema
    .validate(object)
    .filter(({ path }) => !(path[0] === 'spec' && path[1] === 'template' && path.length > 2));
  const found = schemaDiagnostics(shape, schema.definition, object, [], locate);
  const outside = soundPart(object, shape);
  if (outside.isFaulty(...TEMPLATE)) return [...found, ...cloneSetRules(outside, locate)];
  const { template } = normalizeCloneSet(outside.object);
  const inTemplate = validatePodTemplate(template);
  // An unknown field of a pod is a warning, and keeps nothing from being judged.
  const wrong = inTemplate
    .filter(({ keyword }) => keyword !== 'additionalProperties')
    .map((error) => ({ ...error, path: [...TEMPLATE, ...error.path] }));
  return [
    ...found,
    ...schemaDiagnostics(inTemplate, POD_TEMPLATE, template, TEMPLATE, locate),
    ...templateRules(template, images, locate),
    ...reservedKeyRules(template, TEMPLATE, 'pod', locate),
    ...reservedKeyRules({ metadata: object.metadata as unknown as JsonObject }, [], 'target', locate),
    ...cloneSetRules(soundPart(object, [...shape, ...wrong]), locate),
  ];
}

/** The fields of a manifest that are valid but not executed by this version, as far as they fit the schema. */
export function unsupportedFields({ object }: Manifest, locate: Locate): Diagnostic[] {
  return unsupportedRules(soundPart(object, schemaOf(groupKindOf(object)).validate(object)).object, locate);
}
