import { isFields } from '../store/value.ts';
import { canonicalElement, compareElements, isElement, self, showElement, type Element } from './element.ts';

/**
 * A set of fields, as `fieldsV1` holds it: a tree of elements. A node with nothing in it, or with `.` in it, is a
 * member itself; any other only leads to members. Nodes are never changed, so sets share what they have in common.
 * The empty set is `undefined`: an empty tree would be a member.
 */
export interface FieldSet {
  readonly [element: Element]: FieldSet;
}

export type MaybeSet = FieldSet | undefined;

/** A member with nothing below it. */
export const leaf: FieldSet = Object.freeze({});

/** Whether the node itself belongs to the set. */
export function isMember(node: FieldSet): boolean {
  return node[self] !== undefined || Object.keys(node).length === 0;
}

/** A node of these children (in any order); undefined when it would hold nothing. */
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

/** What is in either. The first itself when the second adds nothing to it. */
export function union(a: MaybeSet, b: MaybeSet): MaybeSet {
  if (a === undefined || a === b) return b;
  if (b === undefined) return a;
  return unionNodes(a, b, isMemberOfRoot);
}

// The root of a set is no member, however empty it is.
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

/** What is in the first and not in the second. What lies below a member of the second stays. */
export function difference(a: MaybeSet, b: MaybeSet): MaybeSet {
  return a === undefined || b === undefined ? a : select(a, b, true, (isInB) => !isInB);
}

/** What is in both. */
export function intersection(a: MaybeSet, b: MaybeSet): MaybeSet {
  return a === undefined || b === undefined ? undefined : select(a, b, true, (isInB) => isInB);
}

/** What is in the first, without the members of the second and all that lies below them. */
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

/** What the first has of the members of the second and of all that lies below them. */
export function within(a: MaybeSet, b: MaybeSet): MaybeSet {
  return difference(a, without(a, b));
}

/** The set of one path of fields. */
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

/** The members as messages name them: of each node its own first, then what lies below. */
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

/** A set as a client wrote it, in its one way of writing; null when it is none. Elements of no known kind do not count. */
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
