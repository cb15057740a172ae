import type { LoopKind, Node } from './ast.ts';
import { SyntaxFault } from './source.ts';

function nameOf(node: Node | undefined, at: number, message = 'argument must be a simple name'): string {
  if (node?.op !== 'ident') throw new SyntaxFault(node?.at ?? at, message);
  return node.name;
}

interface LoopForm {
  kind: LoopKind;
  /** The number of variable arguments. */
  names: 1 | 2;
  /** The number of expression arguments. */
  rest: 'step' | 'filter' | 'filter and step';
}

function loopForm(name: string, count: number): LoopForm | undefined {
  const two = count === 3 || count === 4;
  switch (name) {
    case 'all':
    case 'exists':
      return count === 2 || count === 3
        ? { kind: name, names: count === 2 ? 1 : 2, rest: 'step' }
        : undefined;
    case 'exists_one':
      return count === 2 || count === 3
        ? { kind: 'existsOne', names: count === 2 ? 1 : 2, rest: 'step' }
        : undefined;
    case 'existsOne':
      return count === 3 ? { kind: 'existsOne', names: 2, rest: 'step' } : undefined;
    case 'map':
      if (count === 2) return { kind: 'list', names: 1, rest: 'step' };
      return count === 3 ? { kind: 'list', names: 1, rest: 'filter and step' } : undefined;
    case 'filter':
      return count === 2 ? { kind: 'list', names: 1, rest: 'filter' } : undefined;
    case 'transformList':
      return two ? { kind: 'list', names: 2, rest: count === 3 ? 'step' : 'filter and step' } : undefined;
    case 'transformMap':
      return two ? { kind: 'map', names: 2, rest: count === 3 ? 'step' : 'filter and step' } : undefined;
    case 'transformMapEntry':
      return two ? { kind: 'mapEntry', names: 2, rest: count === 3 ? 'step' : 'filter and step' } : undefined;
    default:
      return undefined;
  }
}

function loop(range: Node, form: LoopForm, args: readonly Node[], at: number): Node {
  const isOld = form.kind === 'list' && form.names === 1;
  const problems = isOld ? 'argument is not an identifier' : undefined;
  const names = args.slice(0, form.names).map((node) => nameOf(node, at, problems));
  if (form.names === 2 && names[0] === names[1])
    throw new SyntaxFault(args[1]?.at ?? at, `duplicate variable name: ${names[0]}`);
  const rest = args.slice(form.names);
  const filter = form.rest === 'step' ? undefined : rest[0];
  const step = form.rest === 'filter' ? undefined : rest.at(-1);
  return {
    op: 'loop',
    at,
    kind: form.kind,
    range,
    names,
    ...(filter === undefined ? {} : { filter }),
    ...(step === undefined ? {} : { step }),
  };
}

function has(operand: Node | undefined, at: number): Node {
  if (operand?.op !== 'select' || operand.test || operand.optional)
    throw new SyntaxFault(operand?.at ?? at, 'invalid argument to has() macro');
  return { ...operand, at, test: true };
}

/** The internal variable of sort macros; expressions cannot use this name. */
const sorted = '@sorted';

function sortBy(list: Node, args: readonly Node[], at: number): Node {
  const [name, step] = args;
  if (step === undefined) throw new SyntaxFault(at, 'argument must be a simple name');
  const held: Node = { op: 'ident', at, name: sorted };
  const keys: Node = { op: 'loop', at, kind: 'list', range: held, names: [nameOf(name, at)], step };
  const body: Node = { op: 'call', at, name: '@sortByAssociatedKeys', target: held, args: [keys] };
  return { op: 'bind', at, name: sorted, value: list, body };
}

/** Expands a macro call; undefined for function calls. Throws SyntaxFault. */
export function expandMacro(
  target: Node | undefined,
  name: string,
  args: readonly Node[],
  at: number,
): Node | undefined {
  if (target === undefined) return name === 'has' && args.length === 1 ? has(args[0], at) : undefined;
  const form = loopForm(name, args.length);
  if (form !== undefined) return loop(target, form, args, at);
  if (args.length !== 2) return undefined;
  if (name === 'sortBy') return sortBy(target, args, at);
  const body = args[1];
  if ((name !== 'optMap' && name !== 'optFlatMap') || body === undefined) return undefined;
  return {
    op: 'bind',
    at,
    name: nameOf(args[0], at, `${name}() variable name must be a simple identifier`),
    value: target,
    body,
    whenPresent: name === 'optMap' ? 'map' : 'flatMap',
  };
}
