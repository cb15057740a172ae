import { isAlias, isMap, isNode, isScalar, isSeq, visit } from 'yaml';
import type { Alias, Document, Node, Pair, YAMLMap } from 'yaml';
import type { SourcePosition, Source } from '../diagnostics/diagnostic.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { parseAgain } from './parse.ts';
import type { Extent, KeyRange, KeyRanges } from './parse.ts';

/** The location of an object in a source: its document and, inside a List, the path to the item. */
export interface Origin {
  source: Source;
  at: Extent;
  path: readonly string[];
}

/** The origin of a file with a single document. */
export function wholeOf(source: Source): Origin {
  return { source, at: { from: 0, to: source.text.length }, path: [] };
}

export type Locator = (origin: Origin, path: readonly string[], part: 'key' | 'value') => SourcePosition;

/** A document with an index that makes finding positions independent of its size. */
interface Indexed {
  source: Source;
  from: number;
  /** Characters. */
  size: number;
  document: Document | undefined;
  keys: Map<YAMLMap, Map<string, Pair>>;
  anchors: Map<Alias, Node> | undefined;
}

/** The most characters of a document that is cached besides the current one: a large one takes too much memory. */
const SMALL = 65_536;

/**
 * Finds source positions. They are needed only for problems, so a document is parsed again at the first request. Beyond the
 * budget for that, the position is the start of the document.
 */
export function createLocator(budget: Budget = createBudget()): Locator {
  let cached: Indexed[] = [];

  function indexed({ source, at }: Origin): Indexed {
    const known = cached.find((each) => each.source === source && each.from === at.from);
    if (known !== undefined && known === cached[0]) return known;
    // Release the others before parsing the next document.
    cached = cached.filter((each) => each !== known && each.size <= SMALL).slice(0, 1);
    const found = known ?? parsed(source, at, budget);
    cached.unshift(found);
    return found;
  }

  return (origin, path, part) => {
    const { source, at } = origin;
    const whole = [...origin.path, ...path];
    const joined = part === 'key' && at.keys !== undefined ? whole.join('/') : undefined;
    const noted = joined === undefined ? undefined : at.keys?.find((each) => each.path === joined);
    if (noted !== undefined) return { source, start: noted.start, end: noted.end };
    const entry = indexed(origin);
    const found = entry.document && findNode(entry, entry.document, whole, part);
    const [start, end] = found?.range ?? [at.from, at.from];
    return { source, start, end };
  };
}

/** Nested maps from the document to the pod template of a workload. */
const MOST_DEPTH = 6;

/**
 * The positions of the lists of containers in a document. The warning about a missing readiness probe points at them, and
 * most documents of a run may have it; recording them avoids parsing these documents again.
 */
export function containerKeys({ contents }: Document): KeyRanges | undefined {
  const found: KeyRange[] = [];

  function visitMap(map: YAMLMap, path: string, depth: number): void {
    for (const { key, value } of map.items) {
      // A `/` in a key would make two paths equal.
      if (!isScalar(key) || typeof key.value !== 'string' || key.value.includes('/')) continue;
      if (key.value === 'containers' && key.range && isSeq(value)) {
        found.push({ path: path + key.value, start: key.range[0], end: key.range[1] });
      } else if (depth < MOST_DEPTH && isMap(value)) {
        visitMap(value, `${path}${key.value}/`, depth + 1);
      }
    }
  }

  if (isMap(contents)) visitMap(contents, '', 1);
  return found.length === 0 ? undefined : found;
}

function parsed(source: Source, at: Extent, budget: Budget): Indexed {
  const document = parseAgain(source, at, budget);
  return { source, from: at.from, size: at.to - at.from, document, keys: new Map(), anchors: undefined };
}

/** The node at a path; if the path does not exist, the deepest existing node. */
function findNode(
  indexed: Indexed,
  document: Document,
  path: readonly string[],
  part: 'key' | 'value',
): Node | undefined {
  let node: Node | undefined = isNode(document.contents) ? document.contents : undefined;
  let key: Node | undefined;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = targetOf(indexed, document, node);
    let next: unknown;
    if (isMap(node)) {
      const pair = pairOf(indexed, node, step);
      if (pair === undefined) return index === 0 ? node : (key ?? node);
      key = isNode(pair.key) ? pair.key : undefined;
      next = pair.value;
    } else if (isSeq(node)) {
      next = node.items[Number(step)];
      key = undefined;
    }
    if (!isNode(next)) return key ?? node;
    node = next;
  }
  return part === 'key' ? (key ?? node) : node;
}

/** The pair of a map with this key; the last one if there are several, as YAML readers resolve it. */
function pairOf({ keys }: Indexed, map: YAMLMap, name: string): Pair | undefined {
  const known = keys.get(map);
  if (known !== undefined) return known.get(name);
  const index = new Map<string, Pair>();
  for (const pair of map.items) if (isScalar(pair.key)) index.set(textOf(pair.key.value), pair);
  keys.set(map, index);
  return index.get(name);
}

/** The node of an alias: the last one before it with its anchor. */
function targetOf(indexed: Indexed, document: Document, alias: Alias): Node | undefined {
  if (indexed.anchors === undefined) {
    const [found, last] = [new Map<Alias, Node>(), new Map<string, Node>()];
    visit(document, {
      Node(_key, node) {
        const target = isAlias(node) ? last.get(node.source) : undefined;
        if (isAlias(node) && target !== undefined) found.set(node, target);
        else if (!isAlias(node) && node.anchor !== undefined) last.set(node.anchor, node);
      },
    });
    indexed.anchors = found;
  }
  return indexed.anchors.get(alias);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}
