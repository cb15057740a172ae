import type { Node, Struct } from './ast.ts';
import { expandMacro } from './macros.ts';
import { SyntaxFault, type Problem } from './source.ts';
import { tokensOf, type Token } from './tokens.ts';

const reserved = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const starts =
  "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const relations = new Set(['<', '<=', '>=', '>', '==', '!=', 'in']);
const operatorNames: Readonly<Record<string, string>> = { in: '@in' };
/** The maximum nesting depth. */
const maxDepth = 250;
const maxInt = 2n ** 63n;

/** Parses an expression and expands macros; returns the tree or the syntax errors. */
export function parse(text: string): { root?: Node; problems: readonly Problem[] } {
  const problems: Problem[] = [];
  try {
    const read = tokensOf(text);
    problems.push(...read.problems);
    const root = readTree(text, read.tokens);
    return problems.length === 0 ? { root, problems } : { problems };
  } catch (error) {
    if (!(error instanceof SyntaxFault)) throw error;
    return { problems: [...problems, { at: error.at, message: error.message }] };
  }
}

const openers = new Set(['[', '{', '(', '.', '-', '!']);

/** Whether a token can start an expression. */
function isStart({ kind, text }: Token): boolean {
  return kind === 'literal' || kind === 'ident' || (kind === 'sign' && openers.has(text));
}

function readTree(text: string, tokens: readonly Token[]): Node {
  let next = 0;
  let depth = 0;
  const peek = (): Token => tokens[next] ?? { at: text.length, kind: 'end', text: '<EOF>' };
  const isSign = (mark: string) => peek().kind === 'sign' && peek().text === mark;

  function unexpected(token: Token, expected: string): SyntaxFault {
    const shown = token.kind === 'end' ? '<EOF>' : token.text;
    return new SyntaxFault(token.at, `Syntax error: mismatched input '${shown}' expecting ${expected}`);
  }

  function take(mark: string): boolean {
    if (!isSign(mark)) return false;
    next += 1;
    return true;
  }

  function need(mark: string, expected = `'${mark}'`): Token {
    const token = peek();
    if (take(mark)) return token;
    const what = token.kind === 'end' ? '<EOF>' : token.text;
    const following = tokens[next + 1];
    if (following?.kind === 'sign' && following.text === mark)
      throw new SyntaxFault(token.at, `Syntax error: extraneous input '${what}' expecting ${expected}`);
    const goesOn = mark === ':' ? isStart(token) : token.kind === 'end' || token.kind === 'sign';
    if (goesOn && expected === `'${mark}'`)
      throw new SyntaxFault(token.at, `Syntax error: missing '${mark}' at '${what}'`);
    throw unexpected(token, expected);
  }

  const call = (at: number, name: string, args: readonly Node[]): Node => ({ op: 'call', at, name, args });

  function expression(): Node {
    depth += 1;
    if (depth > maxDepth)
      throw new SyntaxFault(peek().at, `expression recursion limit exceeded: ${maxDepth}`);
    const condition = disjunction();
    const { at } = peek();
    if (!take('?')) {
      depth -= 1;
      return condition;
    }
    const yes = disjunction();
    need(':');
    const no = expression();
    depth -= 1;
    return call(at, '_?_:_', [condition, yes, no]);
  }

  function chain(part: () => Node, marks: ReadonlySet<string>): Node {
    let left = part();
    while (peek().kind === 'sign' && marks.has(peek().text)) {
      const { at, text: mark } = peek();
      next += 1;
      left = call(at, operatorNames[mark] ?? `_${mark}_`, [left, part()]);
    }
    return left;
  }

  const disjunction = () => chain(conjunction, new Set(['||']));
  const conjunction = () => chain(relation, new Set(['&&']));
  const relation = () => chain(sum, relations);
  const sum = () => chain(product, new Set(['+', '-']));
  const product = () => chain(unary, new Set(['*', '/', '%']));

  function unary(): Node {
    const { at } = peek();
    if (isSign('!')) return repeated('!', at, '!_');
    if (!isSign('-')) return member();
    const following = tokens[next + 1];
    // The sign is part of the number; otherwise the minimum integer could not be written.
    if (
      following?.kind === 'literal' &&
      (typeof following.value === 'bigint' || typeof following.value === 'number')
    ) {
      next += 1;
      return member(at);
    }
    return repeated('-', at, '-_');
  }

  function repeated(mark: string, at: number, name: string): Node {
    let count = 0;
    while (take(mark)) count += 1;
    const operand = member();
    return count % 2 === 0 ? operand : call(at, name, [operand]);
  }

  function member(minusAt?: number): Node {
    let node = primary(minusAt);
    for (;;) {
      const { at } = peek();
      if (take('.')) node = selection(node, at);
      else if (take('[')) {
        const name = take('?') ? '_[?_]' : '_[_]';
        const index = expression();
        need(']');
        node = call(at, name, [node, index]);
      } else return node;
    }
  }

  function selection(operand: Node, at: number): Node {
    const optional = take('?');
    const token = peek();
    if (token.kind !== 'ident' && token.kind !== 'quoted')
      throw new SyntaxFault(
        token.at,
        `Syntax error: no viable alternative at input '${text.slice(at, token.at + (token.kind === 'end' ? 0 : token.text.length))}'`,
      );
    if (token.kind === 'quoted') throw new SyntaxFault(token.at, "unsupported syntax: '`'");
    next += 1;
    const open = peek().at;
    if (!optional && token.kind === 'ident' && take('(')) {
      const args = list(')');
      return (
        expandMacro(operand, token.text, args, open) ?? {
          op: 'call',
          at: open,
          name: token.text,
          target: operand,
          args,
        }
      );
    }
    return { op: 'select', at, operand, field: token.text, test: false, optional };
  }

  /** Expressions up to a closing bracket. */
  function list(close: string): Node[] {
    const found: Node[] = [];
    if (take(close)) return found;
    do found.push(expression());
    while (take(','));
    need(close);
    return found;
  }

  function primary(minusAt?: number): Node {
    const token = peek();
    const { at, kind } = token;
    if (kind === 'literal') {
      next += 1;
      return literal(token, minusAt);
    }
    if (kind === 'ident' || isSign('.')) return named();
    if (take('(')) {
      const inner = expression();
      need(')');
      return inner;
    }
    if (take('[')) return listLiteral(at);
    if (take('{')) return mapLiteral(at);
    const following = tokens[next + 1];
    if (kind === 'end' || following === undefined || !isStart(following))
      throw unexpected(token, `{${starts}}`);
    throw new SyntaxFault(at, `Syntax error: extraneous input '${token.text}' expecting {${starts}}`);
  }

  function literal({ at, value }: Token, minusAt?: number): Node {
    if (typeof value === 'number')
      return { op: 'literal', at: minusAt ?? at, value: minusAt === undefined ? value : -value };
    if (typeof value !== 'bigint') return { op: 'literal', at, value: value ?? null };
    const signed = minusAt === undefined ? value : -value;
    if (signed >= maxInt || signed < -maxInt) throw new SyntaxFault(minusAt ?? at, 'invalid int literal');
    return { op: 'literal', at: minusAt ?? at, value: signed };
  }

  function named(): Node {
    const isRooted = take('.');
    const token = peek();
    if (token.kind !== 'ident') throw unexpected(token, 'IDENTIFIER');
    next += 1;
    const open = peek().at;
    if (take('(')) {
      const args = list(')');
      const macro = isRooted ? undefined : expandMacro(undefined, token.text, args, open);
      return macro ?? call(open, token.text, args);
    }
    if (reserved.has(token.text)) throw new SyntaxFault(token.at, `reserved identifier: ${token.text}`);
    return struct(token) ?? { op: 'ident', at: token.at, name: token.text };
  }

  /** `a.b{` starts a message construction. */
  function struct(first: Token): Node | undefined {
    let ahead = next;
    const names = [first.text];
    while (tokens[ahead]?.text === '.' && tokens[ahead + 1]?.kind === 'ident') {
      names.push(tokens[ahead + 1]?.text ?? '');
      ahead += 2;
    }
    const brace = tokens[ahead];
    if (brace?.kind !== 'sign' || brace.text !== '{') return undefined;
    next = ahead + 1;
    const fields: Struct['fields'][number][] = [];
    while (!take('}')) {
      const optional = take('?');
      const { kind, text: name } = peek();
      if (kind !== 'ident') throw unexpected(peek(), "'}'");
      next += 1;
      const { at } = need(':');
      fields.push({ at, name, optional, value: expression() });
      if (!take(',') && !isSign('}')) throw unexpected(peek(), "{'}', ','}");
    }
    return { op: 'struct', at: brace.at, name: names.join('.'), fields };
  }

  function listLiteral(at: number): Node {
    const found: { value: Node; optional: boolean }[] = [];
    while (!take(']')) {
      found.push({ optional: take('?'), value: expression() });
      if (!take(',')) {
        if (!isSign(']')) need(']', "{']', ','}");
      } else if (isSign(',')) throw unexpected(peek(), "']'");
    }
    return { op: 'list', at, items: found };
  }

  function mapLiteral(at: number): Node {
    const entries: { key: Node; value: Node; optional: boolean }[] = [];
    while (!take('}')) {
      const optional = take('?');
      const key = expression();
      need(':');
      entries.push({ optional, key, value: expression() });
      if (!take(',') && !isSign('}')) need('}', "{'}', ','}");
    }
    return { op: 'map', at, entries };
  }

  const root = expression();
  const last = peek();
  if (last.kind === 'end') return root;
  const what = tokens[next + 1]?.kind === 'end' ? 'extraneous' : 'mismatched';
  throw new SyntaxFault(last.at, `Syntax error: ${what} input '${last.text}' expecting <EOF>`);
}
