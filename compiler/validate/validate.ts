import { validateCloneSet } from '../../schemas/generated/validate/cloneset.js';
import { validatePodTemplate } from '../../schemas/generated/validate/podtemplate.js';
import { normalizeCloneSet } from '../../semantics/cloneset/normalize.ts';
import { hasErrors } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { createLocator } from '../load/locate.ts';
import type { Manifest } from '../load/manifests.ts';
import { cloneSetRules } from './cloneset-rules.ts';
import { schemaDiagnostics } from './schema-errors.ts';
import type { Locate } from './schema-errors.ts';
import { templateRules } from './template-rules.ts';
import type { ImagePolicy } from './template-rules.ts';

/** A finder of places for one manifest. */
export function locateIn(manifest: Manifest, locator = createLocator()): Locate {
  return (path, part) => locator(manifest.origin, path, part);
}

/**
 * Everything that is wrong with one manifest by itself. The rules beyond the schema are judged only where the
 * schema holds: one mistake shall not be told three times.
 */
export function validateManifest(manifest: Manifest, images: ImagePolicy, locate: Locate): Diagnostic[] {
  const { object } = manifest;
  const shape = validateCloneSet(object).filter(
    ({ path }) => !(path[0] === 'spec' && path[1] === 'template' && path.length > 2),
  );
  const found = schemaDiagnostics(shape, 'CloneSet', object, [], locate);
  if (hasErrors(found)) return found;
  const normal = normalizeCloneSet(object);
  const templateErrors = validatePodTemplate(normal.template);
  found.push(
    ...schemaDiagnostics(templateErrors, 'PodTemplateSpec', normal.template, ['spec', 'template'], locate),
  );
  found.push(...templateRules(normal.template, images, locate));
  if (!hasErrors(found)) found.push(...cloneSetRules(object, normal, locate));
  return found;
}
