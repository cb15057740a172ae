import type { JsonObject } from '../../schemas/wire/json.ts';
import { annotationOf } from '../../semantics/launch/invalid.ts';
import {
  LAUNCH_PRIORITY_ANNOTATION,
  ORDERED,
  writtenPriorities,
} from '../../semantics/pod/launch-priority.ts';
import type { Container } from '../../semantics/pod/types.ts';
import { listOf, objectOf } from '../../semantics/values/read.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Locate } from './schema-errors.ts';

/**
 * Warns of an order of containers that has no effect, and of one among containers that end.
 *
 * @param at the path of the template
 */
export function launchRules(
  { template, ends }: { template: JsonObject; ends: boolean },
  at: readonly string[],
  locate: Locate,
): Diagnostic[] {
  const path = [...at, 'metadata', 'annotations', LAUNCH_PRIORITY_ANNOTATION];
  const value = annotationOf(template);
  if (typeof value === 'string' && value !== ORDERED)
    return [diagnostic('KR2186', { value }, locate(path, 'value'))];
  if (!ends) return [];
  const containers = listOf(objectOf(template['spec'])['containers']) as unknown as Container[];
  const annotations = objectOf(objectOf(template['metadata'])['annotations']);
  const [first] = [...writtenPriorities(annotations, containers)].sort(([, a], [, b]) => b - a);
  if (first === undefined) return [];
  return [diagnostic('KR2187', { container: first[0] }, locate([...at, 'spec', 'containers'], 'key'))];
}
