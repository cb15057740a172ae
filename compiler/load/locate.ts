import { isAlias, isMap, isNode, isScalar, isSeq, visit } from 'yaml';
import type { Alias, Document, Node, Pair, YAMLMap } from 'yaml';
import type { SourcePosition, Source } from '../diagnostics/diagnostic.ts';
import { createBudget } from './budget.ts';
import type { Budget } from './budget.ts';
import { parseAgain } from './parse.ts';
import type { Extent, KeyPlaces } from './parse.ts';

/** Where in a source an object stands: its document and, inside a List, the path to the item. */
export interface Origin {
  source: Source;
  at: Extent;
  path: readonly string[];
}

/** A file that is one document. */
export function wholeOf(source: Source): Origin {
  return { source, at: { from: 0, to: source.text.length }, path: [] };
}

export type Locator = (origin: Origin, path: readonly string[], part: 'key' | 'value') => SourcePosition;

/** A document with what makes finding a place in it independent of its size. */
interface Indexed {
  source: Source;
  from: number;
  /** Characters. */
  size: number;
  document: Document | undefined;
  keys: Map<YAMLMap, Map<string, Pair>>;
  anchors: Map<Alias, Node> | undefined;
}

/** Characters of a document that is kept beside the one that is judged: a large one takes too much memory. */
const SMALL = 65_536;

/**
 * Finds places in sources. Positions are needed for mistakes only, so a document is parsed again when the first one in it is
 * asked for. Beyond what the budget has for that, the place is where the document begins.
 */
export function createLocator(budget: Budget = createBudget()): Locator {
  let kept: Indexed[] = [];

  function indexed({ source, at }: Origin): Indexed {
    const known = kept.find((each) => each.source === source && each.from === at.from);
    if (known !== undefined && known === kept[0]) return known;
    // Let go before the next is parsed.
    kept = kept.filter((each) => each !== known && each.size <= SMALL).slice(0, 1);
    const found = known ?? parsed(source, at, budget);
    kept.unshift(found);
    return found;
  }

  return (origin, path, part) => {
    const { source, at } = origin;
    const whole = [...origin.path, ...path];
    const noted = part === 'key' ? at.keys?.get(whole.join('/')) : undefined;
    if (noted !== undefined) return { source, start: noted[0], end: noted[1] };
    const here = indexed(origin);
    const found = here.document && findNode(here, here.document, whole, part);
    const [start, end] = found?.range ?? [0, 0];
    return { source, start: at.from + start, end: at.from + end };
  };
}

/** Maps in maps, from the document to the pod template of a workload. */
const MOST_DEPTH = 6;

/**
 * Where the lists of containers of a document stand. The warning about a missing readiness probe points at them, and most
 * documents of a run may have it.
 */
export function containerKeys({ contents }: Document): KeyPlaces | undefined {
  let found: Map<string, readonly [number, number]> | undefined;

  function visitMap(map: YAMLMap, path: string, depth: number): void {
    for (const { key, value } of map.items) {
      // Two paths must not read alike.
      if (!isScalar(key) || typeof key.value !== 'string' || key.value.includes('/')) continue;
      if (key.value === 'containers' && key.range && isSeq(value)) {
        found ??= new Map();
        found.set(path + key.value, [key.range[0], key.range[1]]);
      } else if (depth < MOST_DEPTH && isMap(value)) {
        visitMap(value, `${path}${key.value}/`, depth + 1);
      }
    }
  }

  if (isMap(contents)) visitMap(contents, '', 1);
  return found;
}

function parsed(source: Source, at: Extent, budget: Budget): Indexed {
  const document = parseAgain(source, at, budget);
  return { source, from: at.from, size: at.to - at.from, document, keys: new Map(), anchors: undefined };
}

/** The node at a path; where the path leads nowhere, the deepest node on the way. */
function findNode(
  here: Indexed,
  document: Document,
  path: readonly string[],
  part: 'key' | 'value',
): Node | undefined {
  let node: Node | undefined = isNode(document.contents) ? document.contents : undefined;
  let key: Node | undefined;
  for (const [index, step] of path.entries()) {
    if (isAlias(node)) node = targetOf(here, document, node);
    let next: unknown;
    if (isMap(node)) {
      const pair = pairOf(here, node, step);
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

/** The member of a map, as a reader takes it: the last one of its name. */
function pairOf({ keys }: Indexed, map: YAMLMap, name: string): Pair | undefined {
  const known = keys.get(map);
  if (known !== undefined) return known.get(name);
  const index = new Map<string, Pair>();
  for (const pair of map.items) if (isScalar(pair.key)) index.set(textOf(pair.key.value), pair);
  keys.set(map, index);
  return index.get(name);
}

/** What an alias stands for: the last node before it that has its anchor. */
function targetOf(here: Indexed, document: Document, alias: Alias): Node | undefined {
  if (here.anchors === undefined) {
    const [found, last] = [new Map<Alias, Node>(), new Map<string, Node>()];
    visit(document, {
      Node(_key, node) {
        const target = isAlias(node) ? last.get(node.source) : undefined;
        if (isAlias(node) && target !== undefined) found.set(node, target);
        else if (!isAlias(node) && node.anchor !== undefined) last.set(node.anchor, node);
      },
    });
    here.anchors = found;
  }
  return here.anchors.get(alias);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : String(value);
}
