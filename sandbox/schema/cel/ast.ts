import type { Value } from './values.ts';

/** What the macros on lists and maps do with each element. */
export type LoopKind = 'all' | 'exists' | 'existsOne' | 'list' | 'map' | 'mapEntry';

interface Placed {
  /** Where it stands in the expression: the offset of the operator, bracket or name that makes it. */
  at: number;
}

export interface Literal extends Placed {
  op: 'literal';
  value: Value;
}

export interface Ident extends Placed {
  op: 'ident';
  name: string;
}

export interface Select extends Placed {
  op: 'select';
  operand: Node;
  field: string;
  /** `has(…)`: asks whether the field is there. */
  test: boolean;
  /** `.?field`: gives an optional. */
  optional: boolean;
}

export interface Call extends Placed {
  op: 'call';
  name: string;
  target?: Node;
  args: readonly Node[];
}

export interface ListLiteral extends Placed {
  op: 'list';
  items: readonly { value: Node; optional: boolean }[];
}

export interface MapLiteral extends Placed {
  op: 'map';
  entries: readonly { key: Node; value: Node; optional: boolean }[];
}

/** `name{…}`: messages, of which there are none here. */
export interface Struct extends Placed {
  op: 'struct';
  name: string;
}

/** `range.all(name, step)` and its kin. */
export interface Loop extends Placed {
  op: 'loop';
  kind: LoopKind;
  range: Node;
  /** One name, or two: of the key or index, and of the value. */
  names: readonly string[];
  filter?: Node;
  /** Absent: the element itself (`filter`). */
  step?: Node;
}

/** A name for a value; `whenPresent` opens an optional and leaves an absent one as it is. */
export interface Bind extends Placed {
  op: 'bind';
  name: string;
  value: Node;
  body: Node;
  whenPresent?: 'map' | 'flatMap';
}

/** What an expression consists of. */
export type Node = Literal | Ident | Select | Call | ListLiteral | MapLiteral | Struct | Loop | Bind;

/** `a.b.c` as a name, or undefined where it is something else. */
export function qualifiedName(node: Node): string | undefined {
  if (node.op === 'ident') return node.name;
  if (node.op !== 'select' || node.test || node.optional) return undefined;
  const head = qualifiedName(node.operand);
  return head === undefined ? undefined : `${head}.${node.field}`;
}
