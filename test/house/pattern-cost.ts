import { parsePattern, type PatternNode } from './pattern-tree.ts';

/** A piece of a pattern by its positions: each character of it is one (Glushkov's automaton). */
interface Piece {
  /** It matches the empty text; `isSure`: whatever the text around is. */
  isEmpty: boolean;
  isSure: boolean;
  first: readonly number[];
  /** Where it may end, and whether that is sure to be no failure. */
  last: ReadonlyMap<number, boolean>;
}

const SURE: Piece = { isEmpty: true, isSure: true, first: [], last: new Map() };
/** Copies of a counted piece; with more optional ones than that it is read as one that repeats without end. */
const MOST_COPIES = 10;

/**
 * Why matching a pattern may take more than linear time; undefined: it does not. A backtracking matcher takes more if one text
 * leads along many paths into a loop that can still fail: two loops over a common piece of text, one reachable from the other by
 * the same piece (the ambiguity of finite automata). The search for the beginning of a match is such a loop, too. The test is
 * strict: it may refuse a pattern of which no text can fail behind the loop.
 */
export function superlinear(source: string, flags: string): string | undefined {
  const labels: string[] = [];
  const follow = new Map<number, Map<number, number>>();

  const position = (label: string): number => {
    follow.set(labels.length, new Map());
    return labels.push(label) - 1;
  };
  const link = (from: Iterable<number>, to: readonly number[]): void => {
    for (const one of from)
      for (const other of to) {
        const row = follow.get(one) as Map<number, number>;
        row.set(other, (row.get(other) ?? 0) + 1);
      }
  };

  function pieceOf(node: PatternNode): Piece {
    switch (node.is) {
      case 'character': {
        const at = position(node.source);
        return { isEmpty: false, isSure: false, first: [at], last: new Map([[at, true]]) };
      }
      case 'reference': {
        // It may match any text, as a loop does.
        const at = position('[^]');
        link([at], [at]);
        return { isEmpty: true, isSure: false, first: [at], last: new Map([[at, false]]) };
      }
      case 'edge':
        return { ...SURE, isSure: false };
      case 'behind':
        pieceOf(node.node);
        return { ...SURE, isSure: false };
      case 'ahead':
        // Its text is read, and then read again.
        return { isEmpty: true, isSure: false, first: pieceOf(node.node).first, last: new Map() };
      case 'choice': {
        const pieces = node.nodes.map(pieceOf);
        return {
          isEmpty: pieces.some((each) => each.isEmpty),
          isSure: pieces.some((each) => each.isSure),
          first: pieces.flatMap((each) => each.first),
          last: new Map(pieces.flatMap((each) => [...each.last])),
        };
      }
      case 'sequence':
        return node.nodes.map(pieceOf).reduce(inSequence, SURE);
      case 'repeat':
        return repeated(node.node, node.least, node.most);
    }
  }

  function inSequence(one: Piece, other: Piece): Piece {
    link(one.last.keys(), other.first);
    return {
      isEmpty: one.isEmpty && other.isEmpty,
      isSure: one.isSure && other.isSure,
      first: [...one.first, ...(one.isEmpty ? other.first : [])],
      last: new Map([
        ...other.last,
        ...(other.isEmpty ? [...one.last].map(([at, sure]) => [at, sure && other.isSure] as const) : []),
      ]),
    };
  }

  function repeated(node: PatternNode, least: number, most: number): Piece {
    const isEndless = most - least > MOST_COPIES || most === Infinity;
    let whole = SURE;
    for (let n = isEndless ? 1 : 0; n < Math.min(least, MOST_COPIES); n += 1)
      whole = inSequence(whole, pieceOf(node));
    if (isEndless) {
      const loop = pieceOf(node);
      link(loop.last.keys(), loop.first);
      const maybe = least === 0 ? { ...loop, isEmpty: true, isSure: true } : loop;
      return inSequence(whole, maybe);
    }
    for (let n = least; n < most; n += 1)
      whole = inSequence(whole, { ...pieceOf(node), isEmpty: true, isSure: true });
    return whole;
  }

  const tree = parsePattern(source);
  if (hasLoopBehind(tree)) return 'a loop that looks behind';
  const branches = tree.is === 'choice' ? tree.nodes : [tree];
  const sure = new Set<number>();
  let search: number | undefined;
  let isAlwaysFound = false;
  for (const branch of branches) {
    const piece = pieceOf(branch);
    for (const [at, isSure] of piece.last) if (isSure) sure.add(at);
    if (piece.isSure) isAlwaysFound = true;
    if (flags.includes('y') || (beginsAtEdge(branch) && !flags.includes('m'))) continue;
    search ??= position('[^]');
    if (!beginsAtEdge(branch)) link([search], piece.first);
    else {
      const newLine = position('\\n');
      link([search], [newLine]);
      link([newLine], piece.first);
    }
  }
  if (search !== undefined && !isAlwaysFound) link([search], [search]);
  return ambiguity(labels, lettersOf(labels, source, flags), follow, sure);
}

function hasLoopBehind(node: PatternNode): boolean {
  const within = 'nodes' in node ? node.nodes : 'node' in node ? [node.node] : [];
  return (node.is === 'behind' && hasLoop(node.node)) || within.some(hasLoopBehind);
}

function hasLoop(node: PatternNode): boolean {
  if (node.is === 'repeat' && node.most > MOST_COPIES) return true;
  return ('nodes' in node ? node.nodes : 'node' in node ? [node.node] : []).some(hasLoop);
}

function beginsAtEdge(node: PatternNode): boolean {
  if (node.is === 'edge') return node.at === '^';
  if (node.is === 'choice') return node.nodes.every(beginsAtEdge);
  return node.is === 'sequence' && node.nodes[0] !== undefined && beginsAtEdge(node.nodes[0]);
}

/** The characters of each position, as bits: characters that all positions treat alike are one. */
function lettersOf(labels: readonly string[], source: string, flags: string): bigint[] {
  const points = new Set([...Array.from({ length: 0x180 }, (_, n) => n), 0x2028, 0x3000, 0xfeff, 0x1f600]);
  for (const char of source) for (const near of [-1, 0, 1]) points.add((char.codePointAt(0) ?? 0) + near);
  const kept = flags.replace(/[gym]/g, '');
  const tests = [...new Set(labels)].map((label) => new RegExp(`^(?:${label})$`, kept));
  const rows = new Set<string>();
  for (const point of points) {
    if (point < 0) continue;
    const char = String.fromCodePoint(point);
    rows.add(tests.map((each) => (each.test(char) ? '1' : '0')).join(''));
  }
  const index = new Map([...new Set(labels)].map((label, at) => [label, at]));
  return labels.map((label) =>
    [...rows].reduce(
      (bits, row, at) => (row[index.get(label) ?? 0] === '1' ? bits | (1n << BigInt(at)) : bits),
      0n,
    ),
  );
}

function ambiguity(
  labels: readonly string[],
  letters: readonly bigint[],
  follow: ReadonlyMap<number, ReadonlyMap<number, number>>,
  sure: ReadonlySet<number>,
): string | undefined {
  const next = (at: number): number[] => [...(follow.get(at)?.keys() ?? [])];
  const reach = labels.map((_, at) => closure(next(at), next));
  const loops = labels.flatMap((_, at) => (reach[at]?.has(at) === true ? [at] : []));
  const isOneLoop = (a: number, b: number): boolean => reach[a]?.has(b) === true && reach[b]?.has(a) === true;
  for (const [from, row] of follow)
    for (const [to, count] of row)
      if (count > 1 && isOneLoop(from, to) && !sure.has(to)) return `loops within a loop over ${labels[to]}`;
  for (const one of loops)
    for (const other of loops) {
      if (one === other || sure.has(other) || reach[one]?.has(other) !== true) continue;
      if (meet(one, other)) return `loops over ${labels[one]} and ${labels[other]} that share text`;
    }
  return undefined;

  /** Whether one text leads from the first loop round to itself, from there to the other, and round the other. */
  function meet(one: number, other: number): boolean {
    const size = labels.length;
    const seen = new Set<number>();
    const open: [number, number, number][] = [[one, one, other]];
    for (let found = open.pop(); found !== undefined; found = open.pop()) {
      const [a, b, c] = found;
      for (const a2 of next(a)) {
        if (!isOneLoop(a2, one)) continue;
        for (const c2 of next(c)) {
          const shared = (letters[a2] ?? 0n) & (letters[c2] ?? 0n);
          if (shared === 0n || !isOneLoop(c2, other)) continue;
          for (const b2 of next(b)) {
            if ((shared & (letters[b2] ?? 0n)) === 0n) continue;
            if (a2 === one && b2 === other && c2 === other) return true;
            const id = (a2 * size + b2) * size + c2;
            if (seen.has(id) || (b2 !== other && reach[b2]?.has(other) !== true)) continue;
            seen.add(id);
            open.push([a2, b2, c2]);
          }
        }
      }
    }
    return false;
  }
}

function closure(from: readonly number[], next: (at: number) => number[]): ReadonlySet<number> {
  const found = new Set<number>(from);
  for (const at of found) for (const each of next(at)) found.add(each);
  return found;
}
