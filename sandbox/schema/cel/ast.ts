import type { Value } from './values.ts';

/** The comprehension macros. */
export type LoopKind = 'all' | 'exists' | 'existsOne' | 'list' | 'map' | 'mapEntry';

interface Placed {
  /** The offset in the expression: of the operator, bracket or name of the node. */
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
  /** `has(…)`: tests for presence. */
  test: boolean;
  /** `.?field`: returns an optional. */
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

/** `name{field: value}`: constructs a message. */
export interface Struct extends Placed {
  op: 'struct';
  name: string;
  fields: readonly (Placed & { name: string; value: Node; optional: boolean })[];
}

/** `range.all(name, step)` and similar. */
export interface Loop extends Placed {
  op: 'loop';
  kind: LoopKind;
  range: Node;
  /** One variable, or two: for key or index, and value. */
  names: readonly string[];
  filter?: Node;
  /** Absent: the element itself (`filter`). */
  step?: Node;
}

/** A local variable; `whenPresent` unwraps an optional and skips an absent one. */
export interface Bind extends Placed {
  op: 'bind';
  name: string;
  value: Node;
  body: Node;
  whenPresent?: 'map' | 'flatMap';
}

/** A node of the syntax tree. */
export type Node = Literal | Ident | Select | Call | ListLiteral | MapLiteral | Struct | Loop | Bind;

/** `a.b.c` as a qualified name; undefined for other nodes. */
export function qualifiedName(node: Node): string | undefined {
  if (node.op === 'ident') return node.name;
  if (node.op !== 'select' || node.test || node.optional) return undefined;
  const head = qualifiedName(node.operand);
  return head === undefined ? undefined : `${head}.${node.field}`;
}
