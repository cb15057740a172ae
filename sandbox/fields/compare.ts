import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import { atomOf, fieldType, itemsByElement, listOf, mapOf, type Atom, type FieldType } from './atom.ts';
import { fieldElement, type Element } from './element.ts';
import { leaf, nodeOf, without, type FieldSet, type MaybeSet } from './set.ts';

/** The difference of two values. Added and removed values include all their descendants. */
export interface Differences {
  added: MaybeSet;
  modified: MaybeSet;
  removed: MaybeSet;
}

/** undefined if they are equal. */
type Found = Differences | undefined;

const parts = ['added', 'modified', 'removed'] as const;
const none: Differences = { added: undefined, modified: undefined, removed: undefined };
const addedLeaf: Differences = { ...none, added: leaf };
const modifiedLeaf: Differences = { ...none, modified: leaf };
const removedLeaf: Differences = { ...none, removed: leaf };

function compareLeaf(before: unknown, after: unknown): Found {
  if (before === undefined) return addedLeaf;
  if (after === undefined) return removedLeaf;
  return sameValue(before, after) ? undefined : modifiedLeaf;
}

type Children = Record<(typeof parts)[number], [Element, FieldSet][]>;

interface Collected {
  children: Children | undefined;
}

function collect(into: Collected, element: Element, found: Found): void {
  if (found === undefined) return;
  into.children ??= { added: [], modified: [], removed: [] };
  for (const part of parts) {
    const set = found[part];
    if (set !== undefined) into.children[part].push([element, set]);
  }
}

function compareFields(atom: Atom & { kind: 'map' }, before: unknown, after: unknown, into: Collected): void {
  const [left, right] = [mapOf(before), mapOf(after)];
  for (const name in left) {
    const value = Object.hasOwn(right, name) ? right[name] : undefined;
    if (left[name] === value) continue;
    collect(into, fieldElement(name), compareTyped(fieldType(atom, name), left[name], value));
  }
  for (const name in right) {
    if (right[name] === undefined || (Object.hasOwn(left, name) && left[name] !== undefined)) continue;
    collect(into, fieldElement(name), compareTyped(fieldType(atom, name), undefined, right[name]));
  }
}

/** For duplicate items only presence and change are known. */
function compareRepeated(items: FieldType, before: unknown[], after: unknown[]): Differences[] {
  if (before.length > 1 && after.length > 1) return sameValue(before, after) ? [] : [modifiedLeaf];
  const [repeated, single] = before.length > 1 ? [removedLeaf, after] : [addedLeaf, before];
  const [value] = single;
  const other = value === undefined ? undefined : single === after ? [undefined, value] : [value, undefined];
  const found = other === undefined ? undefined : compareTyped(items, other[0], other[1]);
  return found === undefined ? [repeated] : [repeated, found];
}

function compareItems(atom: Atom & { kind: 'list' }, before: unknown, after: unknown, into: Collected): void {
  const left = itemsByElement(atom, listOf(before));
  const right = itemsByElement(atom, listOf(after));
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const old = left.get(element) ?? [];
    const present = right.get(element) ?? [];
    if (old.length <= 1 && present.length <= 1)
      collect(into, element, compareTyped(atom.items, old[0], present[0]));
    else for (const found of compareRepeated(atom.items, old, present)) collect(into, element, found);
  }
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return !isFields(value) || Object.keys(value).length === 0;
}

function compareAs(atom: Atom, before: unknown, after: unknown): Found {
  const isLeaf =
    atom.kind === 'scalar' ||
    (atom.kind === 'list' ? atom.relation === 'atomic' : atom.atomic) ||
    (isEmpty(before) && isEmpty(after));
  if (isLeaf) return compareLeaf(before, after);
  const into: Collected = { children: undefined };
  if (atom.kind === 'map') compareFields(atom, before, after, into);
  else compareItems(atom, before, after, into);
  const { children } = into;
  if (children === undefined && before !== undefined && after !== undefined) return undefined;
  return {
    added: nodeOf(before === undefined, children?.added ?? []),
    modified: nodeOf(false, children?.modified ?? []),
    removed: nodeOf(after === undefined, children?.removed ?? []),
  };
}

function compareTyped(type: FieldType, before: unknown, after: unknown): Found {
  if (before === after) return undefined;
  const left = atomOf(type, before === undefined ? after : before);
  const right = atomOf(type, after === undefined ? before : after);
  if (left.kind === right.kind) return compareAs(right, before, after);
  // If a map replaces a scalar or the reverse: the value itself and all fields of the map.
  const from = left.kind === 'map' ? compareAs(left, before, {}) : undefined;
  const to = right.kind === 'map' ? compareAs(right, {}, after) : undefined;
  return { added: to?.added, modified: leaf, removed: from?.removed };
}

/** The difference of two objects of one type, without the ignored fields and their descendants. */
export function compare(
  type: FieldType,
  before: unknown,
  after: unknown,
  ignored: MaybeSet,
): Differences | undefined {
  const found = compareTyped(type, before, after);
  if (found === undefined) return undefined;
  const added = without(found.added, ignored);
  const modified = without(found.modified, ignored);
  const removed = without(found.removed, ignored);
  return added === undefined && modified === undefined && removed === undefined
    ? undefined
    : { added, modified, removed };
}
