import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Node, Pair, Scalar, YAMLMap } from 'yaml';
import type { Source } from '../../compiler/diagnostics/diagnostic.ts';
import { positionOf } from '../../compiler/diagnostics/position.ts';
import { parseYaml } from '../../compiler/load/parse.ts';
import { ambiguousScalar } from '../../compiler/load/scalars.ts';

/** Values that all aliases of a body may expand to. */
const ALIAS_LIMIT = 50_000;
/** Deeper than any object, and less than what a recursion takes. */
const DEPTH_LIMIT = 600;

interface Walk {
  source: Source;
  duplicates: string[];
  anchors: Map<string, Node>;
  /** Anchors being read or expanded, to see a loop. */
  open: Set<string>;
  /** How many aliases are being expanded, one in the other, and how many values that has given. */
  aliases: number;
  expanded: number;
}

/**
 * Reads the YAML body of a request as a Kubernetes API server does: the first document, YAML 1.1's words for booleans
 * and numbers, merge keys, the last of fields given twice (`duplicates` says of each where it was). Throws an Error
 * with what a server says behind `yaml: `.
 */
export function readBodyYaml(text: string): { value: unknown; duplicates: string[] } {
  const source: Source = { file: '', text };
  const { documents, diagnostics } = parseYaml(source);
  const [bad] = diagnostics.filter(({ code }) => code !== 'KR1020');
  if (bad !== undefined) {
    const line = bad.position === undefined ? 1 : positionOf(bad.position).line;
    const isTab = /^ *\t/.test(text.split('\n')[line - 1] ?? '');
    throw new Error(`line ${line}: ${isTab ? 'found character that cannot start any token' : bad.message}`);
  }
  const [document] = documents;
  if (document === undefined || document.contents === null) return { value: null, duplicates: [] };
  const walk: Walk = { source, duplicates: [], anchors: new Map(), open: new Set(), aliases: 0, expanded: 0 };
  return { value: valueOf(walk, document.contents, 0), duplicates: walk.duplicates };
}

function valueOf(walk: Walk, node: unknown, depth: number): unknown {
  if (depth > DEPTH_LIMIT) throw new Error(`exceeded max depth of ${DEPTH_LIMIT}`);
  if (walk.aliases > 0) {
    walk.expanded += 1;
    if (walk.expanded > ALIAS_LIMIT) throw new Error('document contains excessive aliasing');
  }
  if (isAlias(node)) {
    const name = node.source;
    const target = walk.anchors.get(name);
    if (walk.open.has(name)) throw new Error(`anchor '${name}' value contains itself`);
    if (target === undefined) throw new Error(`unknown anchor '${name}' referenced`);
    const found = walk.duplicates.length;
    walk.open.add(name);
    walk.aliases += 1;
    const value = valueOf(walk, target, depth + 1);
    walk.aliases -= 1;
    walk.open.delete(name);
    // What is given twice in an anchored value was told where it stands.
    walk.duplicates.length = found;
    return value;
  }
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null;
  const { anchor } = node;
  if (anchor !== undefined) walk.anchors.set(anchor, node);
  if (isScalar(node)) return scalarOf(node);
  const opens = anchor !== undefined && !walk.open.has(anchor);
  if (opens) walk.open.add(anchor);
  const value = isMap(node)
    ? mapOf(walk, node, depth)
    : node.items.map((item) => valueOf(walk, item, depth + 1));
  if (opens) walk.open.delete(anchor);
  return value;
}

function scalarOf(node: Scalar): unknown {
  const text = node.source ?? '';
  if (node.tag === 'tag:yaml.org,2002:binary' || node.tag === '!!binary') {
    const compact = text.replace(/\s/g, '');
    if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(compact))
      throw new Error('!!binary value contains invalid base64 data');
    return Buffer.from(compact, 'base64').toString('utf8');
  }
  if (node.type === 'PLAIN' && node.tag === undefined) {
    const trap = ambiguousScalar(text);
    if (trap !== undefined) return trap.value;
  }
  return node.value;
}

function mapOf(walk: Walk, node: YAMLMap, depth: number): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  const merged = new Map<string, unknown>();
  for (const pair of node.items) {
    if (isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.source === '<<') {
      for (const [key, value] of mergedIn(walk, pair.value, depth))
        if (!merged.has(key)) merged.set(key, value);
      continue;
    }
    const key = keyOf(walk, pair, depth);
    if (entries.has(key))
      walk.duplicates.push(`line ${lineOf(walk, pair.key)}: key ${JSON.stringify(key)} already set in map`);
    entries.set(key, valueOf(walk, pair.value, depth + 1));
  }
  for (const [key, value] of merged) if (!entries.has(key)) entries.set(key, value);
  // Not assigned one by one: a key may be `__proto__`.
  return Object.fromEntries(entries);
}

/** The entries that a merge key brings: of a map, or of the first map of a list that has each. */
function mergedIn(walk: Walk, node: unknown, depth: number): [string, unknown][] {
  const value = valueOf(walk, node, depth + 1);
  const maps: unknown[] = Array.isArray(value) ? value : [value];
  return maps.flatMap((map) => {
    if (typeof map !== 'object' || map === null || Array.isArray(map))
      throw new Error('map merge requires map or sequence of maps as the value');
    return Object.entries(map);
  });
}

function keyOf(walk: Walk, pair: Pair, depth: number): string {
  const key = valueOf(walk, pair.key, depth + 1);
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'boolean') return String(key);
  if (key === null) throw new Error('unsupported map key of type: %!s(<nil>), key: <nil>');
  throw new Error(`invalid map key: ${JSON.stringify(key)}`);
}

function lineOf({ source }: Walk, node: unknown): number {
  const start = isScalar(node) || isAlias(node) || isMap(node) || isSeq(node) ? (node.range?.[0] ?? 0) : 0;
  return positionOf({ source, start, end: start }).line;
}
