import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';
import { atomOf, fieldType, itemElement, type FieldType } from './atom.ts';
import { fieldElement } from './element.ts';
import { isMember, type FieldSet, type MaybeSet } from './set.ts';

function removeFrom(type: FieldType, value: unknown, set: FieldSet): unknown {
  const atom = atomOf(type, value);
  if (atom.kind === 'list' && Array.isArray(value)) {
    if (atom.relation === 'atomic') return value;
    const kept: unknown[] = [];
    for (const item of value as unknown[]) {
      const element = itemElement(atom, item);
      const below = element === undefined ? undefined : set[element];
      if (below === undefined) kept.push(item);
      else if (!isMember(below)) kept.push(removeFrom(atom.items, item, below));
    }
    // A list whose last item is removed becomes null, not an empty list.
    return kept.length === 0 && value.length > 0 ? null : kept;
  }
  if (atom.kind === 'map' && isFields(value)) {
    if (atom.atomic) return value;
    const kept: Fields = {};
    let count = 0;
    for (const name of Object.keys(value)) {
      const below = set[fieldElement(name)];
      if (below !== undefined && isMember(below)) continue;
      const field = value[name];
      setOwn(kept, name, below === undefined ? field : removeFrom(fieldType(atom, name), field, below));
      count += 1;
    }
    return count === 0 && Object.keys(value).length > 0 ? null : kept;
  }
  return value;
}

/** Removes the members of a set. Lists and maps that become empty are null. */
export function removeFields(type: FieldType, value: unknown, set: MaybeSet): unknown {
  return set === undefined ? value : removeFrom(type, value, set);
}
