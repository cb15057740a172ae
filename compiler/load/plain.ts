import { isAlias, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic, Place, Source } from '../diagnostics/diagnostic.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import { TEMPLATE_DETAIL } from './parse.ts';
import { trapOf } from './scalars.ts';

/** Deeper than any Kubernetes object (a CRD with nested schemas stays below 60). */
const DEPTH_LIMIT = 100;
/** Values that all aliases of one document may expand to. */
const ALIAS_LIMIT = 50_000;

const PLAIN_TAGS = new Set([
  'tag:yaml.org,2002:map',
  'tag:yaml.org,2002:seq',
  'tag:yaml.org,2002:str',
  'tag:yaml.org,2002:int',
  'tag:yaml.org,2002:float',
  'tag:yaml.org,2002:bool',
  'tag:yaml.org,2002:null',
]);

interface Walk {
  source: Source;
  document: Document;
  diagnostics: Diagnostic[];
  anchors: Map<string, Node>;
  /** Anchors being expanded, to see a loop. */
  open: Set<string>;
  expanded: number;
  stopped: boolean;
}

/**
 * A YAML document as JSON, with a diagnostic for everything that Kubernetes could read in another way. Never
 * throws; where there are errors the value is the best guess at what kubectl would read.
 */
export function toPlain(document: Document, source: Source): { value: Json; diagnostics: Diagnostic[] } {
  const walk: Walk = {
    source,
    document,
    diagnostics: [],
    anchors: new Map(),
    open: new Set(),
    expanded: 0,
    stopped: false,
  };
  const value = document.contents === null ? null : plainNode(walk, document.contents, 0);
  return { value, diagnostics: walk.diagnostics };
}

function placeOf(walk: Walk, node: Node): Place {
  const [start, end] = node.range ?? [0, 0];
  return { source: walk.source, start, end };
}

function plainNode(walk: Walk, node: unknown, depth: number): Json {
  if (walk.stopped || node === null || node === undefined) return null;
  if (walk.open.size > 0 && ++walk.expanded > ALIAS_LIMIT) {
    walk.stopped = true;
    const alias = [...walk.open].at(-1) ?? '';
    walk.diagnostics.push(
      diagnostic('KR1012', { alias, limit: ALIAS_LIMIT }, { source: walk.source, start: 0, end: 0 }),
    );
    return null;
  }
  if (isAlias(node)) return plainAlias(walk, node, depth);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  if (depth > DEPTH_LIMIT) {
    walk.stopped = true;
    walk.diagnostics.push(diagnostic('KR1011', { limit: DEPTH_LIMIT }, placeOf(walk, node)));
    return null;
  }
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
    walk.diagnostics.push(diagnostic('KR1013', { tag: node.tag }, placeOf(walk, node)));
    return null;
  }
  if (isScalar(node)) return plainScalar(walk, node);
  if (isMap(node)) return plainMap(walk, node, depth);
  return node.items.map((item) => plainNode(walk, isPair(item) ? null : item, depth + 1));
}

function plainAlias(walk: Walk, node: Alias, depth: number): Json {
  const target = walk.anchors.get(node.source);
  if (target === undefined || walk.open.has(node.source)) {
    walk.stopped = true;
    walk.diagnostics.push(
      diagnostic('KR1012', { alias: node.source, limit: ALIAS_LIMIT }, placeOf(walk, node)),
    );
    return null;
  }
  walk.open.add(node.source);
  const before = walk.diagnostics.length;
  const value = plainNode(walk, target, depth + 1);
  // What is wrong inside the anchored value was told where it stands.
  if (!walk.stopped) walk.diagnostics.length = before;
  walk.open.delete(node.source);
  return value;
}

function plainScalar(walk: Walk, node: Scalar): Json {
  const { value } = node;
  if (node.type === 'PLAIN' && node.source !== undefined && node.tag === undefined) {
    const trap = trapOf(node.source);
    const text = node.source;
    if (trap?.kind === 'differs') {
      walk.diagnostics.push(diagnostic('KR1006', { text, reading: String(trap.value) }, placeOf(walk, node)));
    } else if (trap?.kind === 'octal') {
      walk.diagnostics.push(diagnostic('KR1007', { text, decimal: trap.value }, placeOf(walk, node)));
    }
    if (trap !== undefined) return trap.value;
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  }
  walk.diagnostics.push(diagnostic('KR1014', { text: node.source ?? 'this' }, placeOf(walk, node)));
  return null;
}

function plainMap(walk: Walk, node: YAMLMap, depth: number): JsonObject {
  const result: JsonObject = {};
  const seen = new Map<string, Pair>();
  for (const pair of node.items) {
    const key = plainKey(walk, pair, node);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first !== undefined) {
      const related = [{ message: 'first here', place: keyPlace(walk, first, node) }];
      walk.diagnostics.push(diagnostic('KR1005', { key }, keyPlace(walk, pair, node), related));
    } else seen.set(key, pair);
    // As kubectl: the last one wins.
    const value = plainNode(walk, pair.value, depth + 1);
    // To the API server a member that is null is absent.
    if (value === null) delete result[key];
    else result[key] = value;
  }
  return result;
}

function keyPlace(walk: Walk, pair: Pair, map: YAMLMap): Place {
  return placeOf(
    walk,
    isScalar(pair.key) || isAlias(pair.key) || isMap(pair.key) || isSeq(pair.key) ? pair.key : map,
  );
}

/** The key as text; undefined, with a diagnostic, where it is none. */
function plainKey(walk: Walk, pair: Pair, map: YAMLMap): string | undefined {
  const key = pair.key;
  const place = keyPlace(walk, pair, map);
  if (isMap(key) && walk.source.text[place.start - 1] === '{') {
    // `{{ .Values.image }}` is YAML of a kind: a map with a map for a key.
    const whole = { ...place, start: place.start - 1, end: place.end + 1 };
    walk.diagnostics.push(diagnostic('KR1004', { detail: TEMPLATE_DETAIL }, whole));
    return undefined;
  }
  if (!isScalar(key)) {
    walk.diagnostics.push(diagnostic('KR1009', { key: isAlias(key) ? `*${key.source}` : '?' }, place));
    return undefined;
  }
  if (key.anchor !== undefined) walk.anchors.set(key.anchor, key);
  const plain = key.type === 'PLAIN';
  const text = typeof key.value === 'string' ? key.value : (key.source ?? '');
  if (plain && text === '<<') walk.diagnostics.push(diagnostic('KR1008', {}, place));
  else if (text === '__proto__') walk.diagnostics.push(diagnostic('KR1010', {}, place));
  else if (typeof key.value !== 'string' || (plain && trapOf(text) !== undefined)) {
    walk.diagnostics.push(diagnostic('KR1009', { key: text }, place));
  } else return text;
  return undefined;
}
