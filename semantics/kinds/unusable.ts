import type { KubeObject } from '../../schemas/wire/object.ts';
import type { InvalidField } from '../fields/problems.ts';
import { beyondBounds } from '../template/bounds.ts';
import type { Kind } from './kind.ts';

/** Why no rule of its kind may read an object; undefined: they may. */
export function unusable(kind: Kind, object: KubeObject): InvalidField | undefined {
  const bound = beyondBounds(object);
  if (bound !== undefined) return bound;
  try {
    const [invalid] = kind.validate(object);
    if (invalid !== undefined) return invalid;
    const [unsupported] = kind.unsupported(object);
    return unsupported && { path: unsupported.path, rule: `is not executed (${unsupported.what})` };
  } catch {
    return { path: ['spec'], rule: 'cannot be read' };
  }
}
