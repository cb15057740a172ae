/** A regular expression as a tree, as far as its cost depends on it. */
export type PatternNode =
  /** One character out of a set: `source` is a pattern of its own. */
  | { is: 'character'; source: string }
  | { is: 'sequence' | 'choice'; nodes: readonly PatternNode[] }
  | { is: 'repeat'; node: PatternNode; least: number; most: number }
  /** Consumes nothing, and may fail: `^`, `$`, `\b`. */
  | { is: 'edge'; at: string }
  | { is: 'ahead' | 'behind'; node: PatternNode }
  | { is: 'reference' };

/** Parses the source of a regular expression that JavaScript accepts. */
export function parsePattern(source: string): PatternNode {
  let at = 0;

  function choice(): PatternNode {
    const nodes = [sequence()];
    while (source[at] === '|') {
      at += 1;
      nodes.push(sequence());
    }
    return nodes.length === 1 ? (nodes[0] as PatternNode) : { is: 'choice', nodes };
  }

  function sequence(): PatternNode {
    const nodes: PatternNode[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') nodes.push(repeated(atom()));
    return { is: 'sequence', nodes };
  }

  function repeated(node: PatternNode): PatternNode {
    const [text, sign, least = '', comma, most = ''] =
      /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/.exec(source.slice(at, at + 20)) ?? [];
    if (text === undefined) return node;
    at += text.length;
    if (sign !== undefined)
      return { is: 'repeat', node, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity };
    const last = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { is: 'repeat', node, least: Number(least), most: last };
  }

  function atom(): PatternNode {
    const char = source[at] ?? '';
    if (char === '(') return group();
    if (char === '^' || char === '$') {
      at += 1;
      return { is: 'edge', at: char };
    }
    const taken = char === '[' ? classText() : char === '\\' ? escapeText(at) : oneCharacter();
    at += taken.length;
    if (taken === '\\b' || taken === '\\B') return { is: 'edge', at: taken };
    return /^\\(?:[1-9]|k<)/.test(taken) ? { is: 'reference' } : { is: 'character', source: taken };
  }

  function oneCharacter(): string {
    return String.fromCodePoint(source.codePointAt(at) ?? 0);
  }

  function group(): PatternNode {
    const [open = '('] = /^\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/.exec(source.slice(at, at + 60)) ?? [];
    at += open.length;
    const node = choice();
    at += 1;
    if (open === '(?=' || open === '(?!') return { is: 'ahead', node };
    return open === '(?<=' || open === '(?<!' ? { is: 'behind', node } : node;
  }

  function classText(): string {
    let end = at + 1;
    while (source[end] !== ']') end += source[end] === '\\' ? escapeText(end).length : 1;
    return source.slice(at, end + 1);
  }

  function escapeText(from: number): string {
    const found =
      /^\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|k<[^>]*>|c[A-Za-z]|[^])/u.exec(
        source.slice(from, from + 60),
      );
    return found?.[0] ?? '\\';
  }

  return choice();
}
