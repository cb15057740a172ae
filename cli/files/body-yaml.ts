import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Node, Pair, Scalar, YAMLMap } from 'yaml';
import type { Source } from '../../compiler/diagnostics/diagnostic.ts';
import { positionOf } from '../../compiler/diagnostics/position.ts';
import { parseYaml } from '../../compiler/load/parse.ts';
import { ambiguousScalar } from '../../compiler/load/scalars.ts';

/** The most values that all aliases of a body may expand to. */
const ALIAS_LIMIT = 50_000;
/** Deeper than any object, and below the recursion limit. */
const DEPTH_LIMIT = 600;

interface Reader {
  source: Source;
  duplicates: string[];
  anchors: Map<string, Node>;
  /** Anchors that are being read or expanded, to detect a loop. */
  open: Set<string>;
  /** How many aliases are being expanded inside of each other, and how many values that produced. */
  aliases: number;
  expanded: number;
}

/**
 * Reads the YAML body of a request as a Kubernetes API server does: only the first document, with the booleans and numbers
 * of YAML 1.1 and merge keys. Of a repeated field the last value counts, and `duplicates` has a message for each. Throws an
 * Error with the message that a server sends after `yaml: `.
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
  const reader: Reader = {
    source,
    duplicates: [],
    anchors: new Map(),
    open: new Set(),
    aliases: 0,
    expanded: 0,
  };
  return { value: valueOf(reader, document.contents, 0), duplicates: reader.duplicates };
}

function valueOf(reader: Reader, node: unknown, depth: number): unknown {
  if (depth > DEPTH_LIMIT) throw new Error(`exceeded max depth of ${DEPTH_LIMIT}`);
  if (reader.aliases > 0) {
    reader.expanded += 1;
    if (reader.expanded > ALIAS_LIMIT) throw new Error('document contains excessive aliasing');
  }
  if (isAlias(node)) {
    const name = node.source;
    const target = reader.anchors.get(name);
    if (reader.open.has(name)) throw new Error(`anchor '${name}' value contains itself`);
    if (target === undefined) throw new Error(`unknown anchor '${name}' referenced`);
    const found = reader.duplicates.length;
    reader.open.add(name);
    reader.aliases += 1;
    const value = valueOf(reader, target, depth + 1);
    reader.aliases -= 1;
    reader.open.delete(name);
    // Repeated fields of an anchored value were reported at the anchor.
    reader.duplicates.length = found;
    return value;
  }
  if (!isMap(node) && !isSeq(node) && !isScalar(node)) return null;
  const { anchor } = node;
  if (anchor !== undefined) reader.anchors.set(anchor, node);
  if (isScalar(node)) return scalarOf(node);
  const opens = anchor !== undefined && !reader.open.has(anchor);
  if (opens) reader.open.add(anchor);
  const value = isMap(node)
    ? mapOf(reader, node, depth)
    : node.items.map((item) => valueOf(reader, item, depth + 1));
  if (opens) reader.open.delete(anchor);
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

function mapOf(reader: Reader, node: YAMLMap, depth: number): Record<string, unknown> {
  const entries = new Map<string, unknown>();
  const merged = new Map<string, unknown>();
  for (const pair of node.items) {
    if (isScalar(pair.key) && pair.key.type === 'PLAIN' && pair.key.source === '<<') {
      for (const [key, value] of mergedIn(reader, pair.value, depth))
        if (!merged.has(key)) merged.set(key, value);
      continue;
    }
    const key = keyOf(reader, pair, depth);
    if (entries.has(key))
      reader.duplicates.push(
        `line ${lineOf(reader, pair.key)}: key ${JSON.stringify(key)} already set in map`,
      );
    entries.set(key, valueOf(reader, pair.value, depth + 1));
  }
  for (const [key, value] of merged) if (!entries.has(key)) entries.set(key, value);
  // Not assigned one by one, because a key may be `__proto__`.
  return Object.fromEntries(entries);
}

/** The entries of a merge key: of a map or of a list of maps, where the first map with a key takes precedence. */
function mergedIn(reader: Reader, node: unknown, depth: number): [string, unknown][] {
  const value = valueOf(reader, node, depth + 1);
  const maps: unknown[] = Array.isArray(value) ? value : [value];
  return maps.flatMap((map) => {
    if (typeof map !== 'object' || map === null || Array.isArray(map))
      throw new Error('map merge requires map or sequence of maps as the value');
    return Object.entries(map);
  });
}

function keyOf(reader: Reader, pair: Pair, depth: number): string {
  const key = valueOf(reader, pair.key, depth + 1);
  if (typeof key === 'string') return key;
  if (typeof key === 'number' || typeof key === 'boolean') return String(key);
  if (key === null) throw new Error('unsupported map key of type: %!s(<nil>), key: <nil>');
  throw new Error(`invalid map key: ${JSON.stringify(key)}`);
}

function lineOf({ source }: Reader, node: unknown): number {
  const start = isScalar(node) || isAlias(node) || isMap(node) || isSeq(node) ? (node.range?.[0] ?? 0) : 0;
  return positionOf({ source, start, end: start }).line;
}
