import { isAlias, isMap, isPair, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { SourcePosition, Source } from '../diagnostics/diagnostic.ts';
import type { Json, JsonObject } from '../../schemas/wire/json.ts';
import type { Budget } from './budget.ts';
import { createFindings } from './findings.ts';
import type { Findings } from './findings.ts';
import { TEMPLATE_DETAIL } from './parse.ts';
import { ambiguousScalar } from './scalars.ts';

/** Characters of all keys on the way to a value: every problem below them would repeat them. */
const PATH_LIMIT = 2_048;
/** Deeper than any Kubernetes object (a CRD with nested schemas stays below 60). */
const DEPTH_LIMIT = 100;

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
  budget: Budget;
  findings: Findings;
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
export function toPlain(
  document: Document,
  source: Source,
  budget: Budget,
): { value: Json; findings: Findings } {
  const walk: Walk = {
    source,
    budget,
    findings: createFindings(budget),
    anchors: new Map(),
    open: new Set(),
    expanded: 0,
    stopped: false,
  };
  const value = document.contents === null ? null : plainNode(walk, document.contents, 0, 0);
  return { value, findings: walk.findings };
}

function placeOf(walk: Walk, node: Node): SourcePosition {
  const [start, end] = node.range ?? [0, 0];
  return { source: walk.source, start, end };
}

/** @param length characters of the keys that lead to the node */
function plainNode(walk: Walk, node: unknown, depth: number, length: number): Json {
  if (walk.stopped || node === null || node === undefined) return null;
  if (walk.open.size > 0 && !mayExpand(walk, node)) return null;
  if (isAlias(node)) return plainAlias(walk, node, depth, length);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  if (depth > DEPTH_LIMIT) {
    walk.stopped = true;
    walk.findings.add('error', () => diagnostic('KR1011', { limit: DEPTH_LIMIT }, placeOf(walk, node)));
    return null;
  }
  if (node.anchor !== undefined) walk.anchors.set(node.anchor, node);
  if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
    const { tag } = node;
    walk.findings.add('error', () => diagnostic('KR1013', { tag }, placeOf(walk, node)));
    return null;
  }
  if (isScalar(node)) return plainScalar(walk, node);
  if (isMap(node)) return plainMap(walk, node, depth, length);
  return node.items.map((item) => plainNode(walk, isPair(item) ? null : item, depth + 1, length));
}

/** Whether one more value may come from aliases: of this document, and of the run. */
function mayExpand(walk: Walk, node: unknown): boolean {
  const { source, budget, findings } = walk;
  const limit = budget.limits.documentAliasValues;
  const text = isScalar(node) ? (node.source?.length ?? 0) : isMap(node) ? keyText(node) : 0;
  if (++walk.expanded > limit) {
    walk.stopped = true;
    const alias = [...walk.open].at(-1) ?? '';
    findings.add('error', () => diagnostic('KR1012', { alias, limit }, { source, start: 0, end: 0 }));
  } else if (!budget.take('aliasValues', 1) || !budget.take('aliasText', text)) {
    // The limit of the run is reported by whoever reads its documents.
    walk.stopped = true;
  }
  return !walk.stopped;
}

/** Characters of the keys of a map: what aliases repeat is written out in every place. */
function keyText(map: YAMLMap): number {
  let length = 0;
  for (const { key } of map.items) if (isScalar(key)) length += key.source?.length ?? 0;
  return length;
}

function plainAlias(walk: Walk, node: Alias, depth: number, length: number): Json {
  const target = walk.anchors.get(node.source);
  if (target === undefined || walk.open.has(node.source)) {
    walk.stopped = true;
    const args = { alias: node.source, limit: walk.budget.limits.documentAliasValues };
    walk.findings.add('error', () => diagnostic('KR1012', args, placeOf(walk, node)));
    return null;
  }
  walk.open.add(node.source);
  const before = walk.findings.mark();
  const value = plainNode(walk, target, depth + 1, length);
  // What is wrong inside the anchored value was told where it stands.
  if (!walk.stopped) walk.findings.reset(before);
  walk.open.delete(node.source);
  return value;
}

function plainScalar(walk: Walk, node: Scalar): Json {
  const { value } = node;
  if (node.type === 'PLAIN' && node.source !== undefined && node.tag === undefined) {
    const trap = ambiguousScalar(node.source);
    const text = node.source;
    if (trap?.kind === 'differs') {
      const args = { text, reading: String(trap.value) };
      walk.findings.add('error', () => diagnostic('KR1006', args, placeOf(walk, node)));
    } else if (trap?.kind === 'octal') {
      const args = { text, decimal: trap.value };
      walk.findings.add('warning', () => diagnostic('KR1007', args, placeOf(walk, node)));
    }
    if (trap !== undefined) return trap.value;
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  }
  const text = node.source ?? 'this';
  walk.findings.add('error', () => diagnostic('KR1014', { text }, placeOf(walk, node)));
  return null;
}

function plainMap(walk: Walk, node: YAMLMap, depth: number, above: number): JsonObject {
  const result: JsonObject = {};
  const seen = new Map<string, Pair>();
  for (const pair of node.items) {
    const key = plainKey(walk, pair, node);
    if (key === undefined) continue;
    const first = seen.get(key);
    if (first !== undefined) {
      walk.findings.add('error', () => {
        const related = [{ message: 'first here', position: keyPlace(walk, first, node) }];
        return diagnostic('KR1005', { key }, keyPlace(walk, pair, node), related);
      });
    } else seen.set(key, pair);
    // As kubectl: the last one wins.
    const length = above + key.length;
    if (length > PATH_LIMIT) {
      const args = { limit: `${PATH_LIMIT} characters of keys on the way to one value` };
      walk.findings.add('error', () => diagnostic('KR1036', args, keyPlace(walk, pair, node)));
      continue;
    }
    const value = plainNode(walk, pair.value, depth + 1, length);
    // To the API server a member that is null is absent.
    if (value === null) delete result[key];
    else result[key] = value;
  }
  return result;
}

function keyPlace(walk: Walk, pair: Pair, map: YAMLMap): SourcePosition {
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
    walk.findings.add('error', () => diagnostic('KR1004', { detail: TEMPLATE_DETAIL }, whole));
    return undefined;
  }
  if (!isScalar(key)) {
    const args = { key: isAlias(key) ? `*${key.source}` : '?' };
    walk.findings.add('error', () => diagnostic('KR1009', args, place));
    return undefined;
  }
  if (key.anchor !== undefined) walk.anchors.set(key.anchor, key);
  const plain = key.type === 'PLAIN';
  const text = typeof key.value === 'string' ? key.value : (key.source ?? '');
  if (plain && text === '<<') walk.findings.add('error', () => diagnostic('KR1008', {}, place));
  else if (text === '__proto__') walk.findings.add('error', () => diagnostic('KR1010', {}, place));
  else if (typeof key.value !== 'string' || (plain && ambiguousScalar(text) !== undefined)) {
    walk.findings.add('error', () => diagnostic('KR1009', { key: text }, place));
  } else return text;
  return undefined;
}
