import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Kind } from '../../semantics/kinds/kind.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import { isObject } from '../../semantics/values/json-shape.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { answerTo } from './answer.ts';

/**
 * Answers the review of an object of a kind that is created or changed: a JSON patch with the annotations that it lacks or that are of
 * an earlier spec. It is never refused: one that no rule may read stays as it is.
 */
export function reviewStamped(review: unknown, kind: Kind): JsonObject {
  const request = objectOf(objectOf(review)['request']);
  const object = request['object'];
  const patch = isObject(object) ? patchOf(object as unknown as KubeObject, kind) : [];
  if (patch.length === 0) return answerTo(request, { allowed: true });
  const text = Buffer.from(JSON.stringify(patch), 'utf8').toString('base64');
  return answerTo(request, { allowed: true, patchType: 'JSONPatch', patch: text });
}

/** The annotations of its stamp that an object lacks; empty: none. */
export function missingStamp(object: KubeObject, kind: Kind): Record<string, string> {
  if (unusable(kind, object) !== undefined) return {};
  const stamp = Object.entries(kind.admission?.stamp?.(object) ?? {});
  return Object.fromEntries(stamp.filter(([key, value]) => object.metadata.annotations?.[key] !== value));
}

function patchOf(object: KubeObject, kind: Kind): object[] {
  const missing = missingStamp(object, kind);
  if (Object.keys(missing).length === 0) return [];
  // Of a member that is there, too, `add` makes another.
  const value = { ...object.metadata.annotations, ...missing };
  return [{ op: 'add', path: '/metadata/annotations', value }];
}
