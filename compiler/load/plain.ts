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

/** The most characters of all keys on the path to a value: every problem below would repeat them. */
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

interface Reading {
  source: Source;
  budget: Budget;
  findings: Findings;
  anchors: Map<string, Node>;
  /** The anchors being expanded, to detect a loop. */
  open: Set<string>;
  expanded: number;
  stopped: boolean;
  /** How many patches the node is in. */
  patches: number;
}

/** The key of every patch in a manifest. */
export const PATCH = 'patch';

/**
 * Converts a YAML document to JSON, with a diagnostic for everything that Kubernetes might read differently. Never throws;
 * if there are errors, the value is the best guess at what kubectl would read.
 */
export function toPlain(
  document: Document,
  source: Source,
  budget: Budget,
): { value: Json; findings: Findings } {
  const reading: Reading = {
    source,
    budget,
    findings: createFindings(budget),
    anchors: new Map(),
    open: new Set(),
    expanded: 0,
    stopped: false,
    patches: 0,
  };
  const value = document.contents === null ? null : plainNode(reading, document.contents, 0, 0);
  return { value, findings: reading.findings };
}

function positionOf(reading: Reading, node: Node): SourcePosition {
  const [start, end] = node.range ?? [0, 0];
  return { source: reading.source, start, end };
}

/** @param length characters of the keys on the path to the node */
function plainNode(reading: Reading, node: unknown, depth: number, length: number): Json {
  if (reading.stopped || node === null || node === undefined) return null;
  if (reading.open.size > 0 && !mayExpand(reading, node)) return null;
  if (isAlias(node)) return plainAlias(reading, node, depth, length);
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return null;
  if (depth > DEPTH_LIMIT) {
    reading.stopped = true;
    reading.findings.add('error', () =>
      diagnostic('KR1011', { limit: DEPTH_LIMIT }, positionOf(reading, node)),
    );
    return null;
  }
  if (node.anchor !== undefined) reading.anchors.set(node.anchor, node);
  if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
    const { tag } = node;
    reading.findings.add('error', () => diagnostic('KR1013', { tag }, positionOf(reading, node)));
    return null;
  }
  if (isScalar(node)) return plainScalar(reading, node);
  if (isMap(node)) return plainMap(reading, node, depth, length);
  return node.items.map((item) => plainNode(reading, isPair(item) ? null : item, depth + 1, length));
}

/** Whether aliases may expand to one more value, within the limits of the document and of the run. */
function mayExpand(reading: Reading, node: unknown): boolean {
  const { source, budget, findings } = reading;
  const limit = budget.limits.documentAliasValues;
  const text = isScalar(node) ? (node.source?.length ?? 0) : isMap(node) ? keyText(node) : 0;
  if (++reading.expanded > limit) {
    reading.stopped = true;
    const alias = [...reading.open].at(-1) ?? '';
    findings.add('error', () =>
      diagnostic('KR1012', { alias, problem: { limit } }, { source, start: 0, end: 0 }),
    );
  } else if (!budget.take('aliasValues', 1) || !budget.take('aliasText', text)) {
    // Whoever reads the documents of the run reports its limit.
    reading.stopped = true;
  }
  return !reading.stopped;
}

/** Characters of the keys of a map: repeated by an alias, they are written out each time. */
function keyText(map: YAMLMap): number {
  let length = 0;
  for (const { key } of map.items) if (isScalar(key)) length += key.source?.length ?? 0;
  return length;
}

function plainAlias(reading: Reading, node: Alias, depth: number, length: number): Json {
  const target = reading.anchors.get(node.source);
  if (target === undefined || reading.open.has(node.source)) {
    reading.stopped = true;
    const problem: 'unknown' | 'endless' = target === undefined ? 'unknown' : 'endless';
    const args = { alias: node.source, problem };
    reading.findings.add('error', () => diagnostic('KR1012', args, positionOf(reading, node)));
    return null;
  }
  reading.open.add(node.source);
  const before = reading.findings.mark();
  const value = plainNode(reading, target, depth + 1, length);
  // The problems inside of the anchored value were reported at the anchor.
  if (!reading.stopped) reading.findings.reset(before);
  reading.open.delete(node.source);
  return value;
}

function plainScalar(reading: Reading, node: Scalar): Json {
  const { value } = node;
  if (node.type === 'PLAIN' && node.source !== undefined && node.tag === undefined) {
    const trap = ambiguousScalar(node.source);
    const text = node.source;
    if (trap?.kind === 'differs') {
      const args = { text, reading: String(trap.value) };
      reading.findings.add('error', () => diagnostic('KR1006', args, positionOf(reading, node)));
    } else if (trap?.kind === 'octal') {
      const args = { text, decimal: trap.value };
      reading.findings.add('warning', () => diagnostic('KR1007', args, positionOf(reading, node)));
    }
    if (trap !== undefined) return trap.value;
  }
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) {
    if (!Number.isInteger(value) || Number.isSafeInteger(value)) return value;
  }
  const text = node.source ?? 'this';
  reading.findings.add('error', () => diagnostic('KR1014', { text }, positionOf(reading, node)));
  return null;
}

function plainMap(reading: Reading, node: YAMLMap, depth: number, above: number): JsonObject {
  const result: JsonObject = {};
  const keys = new Map<string, Pair>();
  for (const pair of node.items) {
    const key = plainKey(reading, pair, node);
    if (key === undefined) continue;
    const first = keys.get(key);
    if (first !== undefined) {
      reading.findings.add('error', () => {
        const related = [{ message: 'first here', position: keyPosition(reading, first, node) }];
        return diagnostic('KR1005', { key }, keyPosition(reading, pair, node), related);
      });
    } else keys.set(key, pair);
    // As in kubectl, the last one counts.
    const length = above + key.length;
    if (length > PATH_LIMIT) {
      const args = { limit: `${PATH_LIMIT} characters of keys on the way to one value` };
      reading.findings.add('error', () => diagnostic('KR1036', args, keyPosition(reading, pair, node)));
      continue;
    }
    const inPatch = key === PATCH ? 1 : 0;
    reading.patches += inPatch;
    const value = plainNode(reading, pair.value, depth + 1, length);
    reading.patches -= inPatch;
    // The API server treats a null member as absent. In a patch, which has no schema, it keeps it: there it removes a field.
    if (value === null && reading.patches === 0) delete result[key];
    else result[key] = value;
  }
  return result;
}

function keyPosition(reading: Reading, pair: Pair, map: YAMLMap): SourcePosition {
  return positionOf(
    reading,
    isScalar(pair.key) || isAlias(pair.key) || isMap(pair.key) || isSeq(pair.key) ? pair.key : map,
  );
}

/** The key as text; undefined, with a diagnostic, if it is not text. */
function plainKey(reading: Reading, pair: Pair, map: YAMLMap): string | undefined {
  const key = pair.key;
  const position = keyPosition(reading, pair, map);
  if (isMap(key) && reading.source.text[position.start - 1] === '{') {
    // `{{ .Values.image }}` is valid YAML: a map with a map as its key.
    const whole = { ...position, start: position.start - 1, end: position.end + 1 };
    reading.findings.add('error', () => diagnostic('KR1004', { detail: TEMPLATE_DETAIL }, whole));
    return undefined;
  }
  if (!isScalar(key)) {
    const args = { key: isAlias(key) ? `*${key.source}` : '?' };
    reading.findings.add('error', () => diagnostic('KR1009', args, position));
    return undefined;
  }
  if (key.anchor !== undefined) reading.anchors.set(key.anchor, key);
  const plain = key.type === 'PLAIN';
  const text = typeof key.value === 'string' ? key.value : (key.source ?? '');
  if (plain && text === '<<') reading.findings.add('error', () => diagnostic('KR1008', {}, position));
  else if (text === '__proto__') reading.findings.add('error', () => diagnostic('KR1010', {}, position));
  else if (typeof key.value !== 'string' || (plain && ambiguousScalar(text) !== undefined)) {
    reading.findings.add('error', () => diagnostic('KR1009', { key: text }, position));
  } else return text;
  return undefined;
}
