import { isFields, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';
import {
  atomOf,
  fieldType,
  itemElement,
  itemsByElement,
  listOf,
  mapOf,
  type Atom,
  type FieldType,
} from './atom.ts';
import type { Element } from './element.ts';

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 : !isFields(value) || Object.keys(value).length === 0;
}

/** The single item of an element; undefined if it is absent or ambiguous. */
function single(items: ReadonlyMap<Element, unknown[]>, element: Element): unknown {
  const found = items.get(element);
  return found?.length === 1 ? found[0] : undefined;
}

/**
 * Merges the items of both lists without duplicates: configured items in their configured order, live items in
 * theirs; a live-only item comes before the next unmerged configured item.
 */
function mergeItems(
  atom: Atom & { kind: 'list' },
  live: readonly unknown[],
  config: readonly unknown[],
): unknown[] {
  const elementsOf = (list: readonly unknown[]) => list.map((item) => itemElement(atom, item) ?? '');
  const [liveElements, configElements] = [elementsOf(live), elementsOf(config)];
  const [liveItems, configItems] = [itemsByElement(atom, live), itemsByElement(atom, config)];
  const shared = configElements.filter((element) => liveItems.has(element));
  const merged = new Set<Element>();
  const result: unknown[] = [];
  let nextShared = 0;
  let at = 0;
  let configAt = 0;
  const take = (element: Element) => {
    merged.add(element);
    result.push(mergeTyped(atom.items, single(liveItems, element), single(configItems, element)));
    configAt += 1;
    if (shared[nextShared] === element) nextShared += 1;
  };
  while (at < live.length || configAt < config.length) {
    const liveElement = liveElements[at];
    const configElement = configElements[configAt];
    if (liveElement === undefined) {
      if (configElement !== undefined) take(configElement);
    } else if (liveElement === configElement) {
      take(liveElement);
      at += 1;
    } else if (!configItems.has(liveElement)) {
      result.push(live[at]);
      at += 1;
    } else if (
      merged.has(liveElement) ||
      (configElement !== undefined && shared[nextShared] !== liveElement)
    ) {
      // Already merged, or merged later in the order of the configuration.
      at += 1;
    } else if (configElement !== undefined) take(configElement);
    else at += 1;
  }
  return result;
}

function mergeFields(atom: Atom & { kind: 'map' }, live: Fields, config: Fields): Fields {
  const result: Fields = { ...live };
  for (const name of Object.keys(config)) {
    const before = Object.hasOwn(live, name) ? live[name] : undefined;
    setOwn(result, name, mergeTyped(fieldType(atom, name), before, config[name]));
  }
  return result;
}

function mergeTyped(type: FieldType, live: unknown, config: unknown): unknown {
  if (config === undefined) return live;
  if (live === undefined) return config;
  const atom = atomOf(type, config);
  const isLeaf =
    atom.kind === 'scalar' ||
    (atom.kind === 'list' ? atom.relation === 'atomic' : atom.atomic) ||
    (isEmpty(live) && isEmpty(config));
  if (isLeaf) return config;
  return atom.kind === 'list'
    ? mergeItems(atom, listOf(live), listOf(config))
    : mergeFields(atom, mapOf(live), mapOf(config));
}

/** Merges a configuration into the live object: set fields get its values, all other fields stay. */
export function merge(type: FieldType, live: unknown, config: unknown): unknown {
  return mergeTyped(type, live, config);
}
