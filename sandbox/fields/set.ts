import { isFields } from '../../schemas/pods/fields.ts';
import { canonicalElement, compareElements, isElement, self, showElement, type Element } from './element.ts';

/**
 * A set of fields as in `fieldsV1`: a tree of elements. A node that is empty or contains `.` is a member; other
 * nodes only lead to members. Nodes are immutable, so sets share structure. The empty set is `undefined`, because
 * an empty tree would be a member.
 */
export interface FieldSet {
  readonly [element: Element]: FieldSet;
}

export type MaybeSet = FieldSet | undefined;

/** A member without children. */
export const leaf: FieldSet = Object.freeze({});

/** Whether the node itself is a member. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || Object.keys(node).length === 0;
}

/** A node with these children (in any order); undefined if there are none. */
export function nodeOf(member: boolean, children: [Element, FieldSet][]): MaybeSet {
  if (children.length === 0) return member ? leaf : undefined;
  let sorted = true;
  for (let index = 1; index < children.length && sorted; index += 1)
    sorted = compareElements(children[index - 1]?.[0] ?? '', children[index]?.[0] ?? '') < 0;
  if (!sorted) children.sort(([a], [b]) => compareElements(a, b));
  const node: Record<Element, FieldSet> = {};
  if (member) node[self] = leaf;
  for (const [element, child] of children) node[element] = child;
  return Object.freeze(node);
}

function childrenOf(node: FieldSet): [Element, FieldSet][] {
  const children: [Element, FieldSet][] = [];
  for (const element in node) {
    const child = node[element];
    if (element !== self && child !== undefined) children.push([element, child]);
  }
  return children;
}

/** Union. Returns the first set itself if the second adds nothing. */
export function union(a: MaybeSet, b: MaybeSet): MaybeSet {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  return unionNodes(a, b, isMemberOfRoot);
}

// The root is never a member.
const isMemberOfRoot = () => false;

function unionNodes(a: FieldSet, b: FieldSet, memberOf: (node: FieldSet) => boolean): FieldSet {
  if (a === b) return a;
  const member = memberOf(a) || memberOf(b);
  let changed = member !== memberOf(a);
  const children = childrenOf(a);
  for (const [index, [element, child]] of children.entries()) {
    const other = b[element];
    if (other === undefined) continue;
    const joined = unionNodes(child, other, isMember);
    if (joined === child) continue;
    changed = true;
    children[index] = [element, joined];
  }
  for (const [element, child] of childrenOf(b))
    if (a[element] === undefined) {
      children.push([element, child]);
      changed = true;
    }
  return changed ? (nodeOf(member, children) ?? a) : a;
}

function select(
  a: FieldSet,
  b: FieldSet | undefined,
  root: boolean,
  keep: (isInB: boolean) => boolean,
): MaybeSet {
  const member = !root && isMember(a);
  const kept = member && keep(b !== undefined && !root && isMember(b));
  let changed = kept !== member;
  const children: [Element, FieldSet][] = [];
  for (const [element, child] of childrenOf(a)) {
    const other = b?.[element];
    const selected =
      other === undefined ? (keep(false) ? child : undefined) : select(child, other, false, keep);
    if (selected !== child) changed = true;
    if (selected !== undefined) children.push([element, selected]);
  }
  return changed ? nodeOf(kept, children) : a;
}

/** Difference. Descendants of members of the second set stay. */
export function difference(a: MaybeSet, b: MaybeSet): MaybeSet {
  return a === undefined || b === undefined ? a : select(a, b, true, (isInB) => !isInB);
}

/** Intersection. */
export function intersection(a: MaybeSet, b: MaybeSet): MaybeSet {
  return a === undefined || b === undefined ? undefined : select(a, b, true, (isInB) => isInB);
}

/** Difference without descendants of members of the second set. */
export function without(a: MaybeSet, b: MaybeSet): MaybeSet {
  if (a === undefined || b === undefined) return a;
  const member = a[self] !== undefined;
  let changed = false;
  const children: [Element, FieldSet][] = [];
  for (const [element, child] of childrenOf(a)) {
    const other = b[element];
    const kept = other === undefined ? child : isMember(other) ? undefined : without(child, other);
    if (kept !== child) changed = true;
    if (kept !== undefined) children.push([element, kept]);
  }
  return changed ? nodeOf(member, children) : a;
}

/** The members of the second set and their descendants, as far as they are in the first. */
export function within(a: MaybeSet, b: MaybeSet): MaybeSet {
  return difference(a, without(a, b));
}

/** The set of one field path. */
export function setOf(...paths: (readonly string[])[]): MaybeSet {
  return paths.reduce<MaybeSet>(
    (set, path) =>
      union(
        set,
        path.reduceRight<FieldSet>((below, name) => ({ [`f:${name}`]: below }), leaf),
      ),
    undefined,
  );
}

/** The members in message format: each node's own members first, then its descendants. */
export function pathsOf(set: MaybeSet): string[] {
  const paths: string[] = [];
  const collect = (node: FieldSet, path: string) => {
    const children = childrenOf(node);
    for (const [element, child] of children) if (isMember(child)) paths.push(path + showElement(element));
    for (const [element, child] of children) collect(child, path + showElement(element));
  };
  if (set !== undefined) collect(set, '');
  return paths;
}

/**
 * Parses a client's set into canonical form; null if it is malformed. Elements with unknown prefixes are ignored.
 */
export function readSet(value: unknown): MaybeSet | null {
  const read = (node: unknown): FieldSet | null => {
    if (!isFields(node)) return null;
    const children: [Element, FieldSet][] = [];
    const elements = Object.keys(node);
    for (const element of elements) {
      if (element === self || !/^[fkvi]:/.test(element)) continue;
      const child = isElement(element) ? read(node[element]) : null;
      if (child === null) return null;
      children.push([canonicalElement(element), child]);
    }
    return nodeOf(Object.hasOwn(node, self) || elements.length === 0, children) ?? leaf;
  };
  const set = read(value);
  return set === leaf ? undefined : set;
}
