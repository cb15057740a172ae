import { isFields } from '../../schemas/pods/fields.ts';
import { atomOf, fieldType, isNamed, itemElement, type Atom, type FieldType } from './atom.ts';
import { fieldElement, self, type Element } from './element.ts';
import { isMember, leaf, nodeOf, type FieldSet, type MaybeSet } from './set.ts';

function isEmptyMap(value: unknown): boolean {
  return value === null || (isFields(value) && Object.keys(value).length === 0);
}

function membersOf(type: FieldType, value: unknown, member: boolean): MaybeSet {
  const atom = atomOf(type, value);
  if (atom.kind === 'scalar' || (atom.kind === 'list' ? atom.relation === 'atomic' : atom.atomic))
    return leaf;
  const children: [Element, FieldSet][] = [];
  if (atom.kind === 'list') {
    for (const item of Array.isArray(value) ? (value as unknown[]) : []) {
      const element = itemElement(atom, item);
      const below = element === undefined ? undefined : membersOf(atom.items, item, true);
      if (element !== undefined && below !== undefined) children.push([element, below]);
    }
  } else if (isFields(value)) {
    for (const name of Object.keys(value)) {
      const field = value[name];
      const counts = isEmptyMap(field) || !isNamed(atom, name);
      const below = membersOf(fieldType(atom, name), field, counts);
      if (below !== undefined) children.push([fieldElement(name), below]);
    }
  }
  return nodeOf(member, children);
}

/**
 * The leaf fields of a configuration: scalars, atomic values, list items and map entries. Named fields with
 * children are not included.
 */
export function fieldsOf(type: FieldType, value: unknown): MaybeSet {
  return membersOf(type, value, false);
}

function mapAtomOf(type: FieldType): (Atom & { kind: 'map' }) | undefined {
  const atom = atomOf(type, {});
  return atom.kind === 'map' ? atom : undefined;
}

function itemType(type: FieldType): FieldType {
  const atom = atomOf(type, []);
  return atom.kind === 'list' ? atom.items : undefined;
}

/** Adds the named parent fields of all members, which apply sets usually omit. */
export function withNamedFields(type: FieldType, set: MaybeSet): MaybeSet {
  if (set === undefined) return undefined;
  const complete = (node: FieldSet, at: FieldType, member: boolean): MaybeSet => {
    const children: [Element, FieldSet][] = [];
    for (const element of Object.keys(node)) {
      const child = node[element];
      if (element === self || child === undefined) continue;
      const map = element.startsWith('f:') ? mapAtomOf(at) : undefined;
      const name = element.slice(2);
      const below = map === undefined ? itemType(at) : fieldType(map, name);
      const named = map !== undefined && isNamed(map, name);
      const completed = complete(child, below, named || isMember(child));
      if (completed !== undefined) children.push([element, completed]);
    }
    return nodeOf(member, children);
  };
  return complete(set, type, false);
}
