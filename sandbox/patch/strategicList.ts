import { ApiError } from '../../schemas/wire/cluster.ts';
import { goText } from '../schema/goText.ts';
import { isFields, ownField, sameValue, type Fields } from '../../schemas/pods/fields.ts';

/** Patches that do not match the object are internal errors: 500 without a reason. */
export function mismatch(message: string): ApiError {
  return new ApiError({ code: 500, reason: '', message });
}

/** Merges an item of a patch into the existing item. */
export type MergeItem = (target: Fields, patch: Fields) => Fields;

function elementKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Whether the items of both lists are maps; 500 for mixed lists, 422 for lists of lists. */
function holdMaps(...lists: readonly (readonly unknown[])[]): boolean {
  const found = new Set(lists.flatMap((list) => list.map(elementKind)));
  if (found.size > 1) throw mismatch(`list element types are not identical: ${goText(lists)}`);
  if (found.has('list'))
    throw new ApiError({ code: 422, reason: '', message: 'lists of lists are not supported' });
  return found.has('object');
}

function keyOf(item: Fields, mergeKey: string): unknown {
  if (Object.hasOwn(item, mergeKey)) return item[mergeKey];
  throw mismatch(`map: ${goText(item)} does not contain declared merge key: ${mergeKey}`);
}

/** The identity of an item: its merge key, or the item itself. */
function identity(mergeKey: string | undefined): (item: unknown) => unknown {
  return (item) => (mergeKey === undefined || !isFields(item) ? item : keyOf(item, mergeKey));
}

/** Removes `$patch` items from a patch and applies them to the target. */
function applyDirectives(
  target: readonly unknown[],
  patch: readonly Fields[],
  mergeKey: string,
): { target: readonly unknown[]; patch: readonly Fields[]; replaced: boolean } {
  let left = target;
  let replaced = false;
  const plain: Fields[] = [];
  for (const item of patch) {
    const directive = ownField(item, '$patch');
    if (directive === undefined) plain.push(item);
    else if (directive === 'delete') {
      const removed = keyOf(item, mergeKey);
      left = left.filter((each) => !sameValue(ownField(each, mergeKey), removed));
    } else if (directive === 'replace') replaced = true;
    else if (directive === 'merge') throw mismatch('merging lists cannot yet be specified in the patch');
    else throw mismatch(`unknown patch type: ${goText(directive)} in map: ${goText(item)}`);
  }
  return replaced ? { target: plain, patch: [], replaced } : { target: left, patch: plain, replaced };
}

function mergeMaps(
  target: readonly unknown[],
  patch: readonly Fields[],
  mergeKey: string,
  mergeItem: MergeItem,
): unknown[] {
  const result = [...target];
  for (const item of patch) {
    const id = keyOf(item, mergeKey);
    const index = result.findIndex((each) => sameValue(ownField(each, mergeKey), id));
    const old = result[index];
    if (index < 0) result.push(item);
    else result[index] = isFields(old) ? mergeItem(old, item) : item;
  }
  return result;
}

/**
 * Orders a merged list: items in `order` follow that order, the others keep their old order; an old item stays
 * before a listed item if it was before it, else it comes after.
 */
export function applyOrder(
  merged: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string | undefined,
): unknown[] {
  const id = identity(mergeKey);
  const rank = (list: readonly unknown[]) => {
    const ids = list.map(id);
    return (item: unknown) => ids.findIndex((each) => sameValue(each, id(item)));
  };
  const ordered = rank(order);
  const stood = rank(before);
  const named = merged.filter((item) => ordered(item) >= 0).sort((a, b) => ordered(a) - ordered(b));
  const others = merged.filter((item) => ordered(item) < 0);
  const last = (item: unknown) => (stood(item) < 0 ? before.length : stood(item));
  others.sort((a, b) => last(a) - last(b));
  const result: unknown[] = [];
  let next = 0;
  for (const item of named) {
    const position = stood(item);
    while (next < others.length && last(others[next]) < position) result.push(others[next++]);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** A merged list, and the old list in the state that the server uses for ordering. */
export interface Merged {
  list: unknown[];
  before: readonly unknown[];
}

/**
 * Merges a list of a patch: maps by merge key, scalars as a set. The server reuses the array of the old list while
 * merging, and later reads the old order from that array; so new items appear at the positions of deleted ones.
 */
export function mergeList(
  target: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string | undefined,
  mergeItem: MergeItem,
): Merged {
  if (!holdMaps(target, patch) || mergeKey === undefined) {
    const both = [...target, ...patch];
    const distinct = both.filter((item, index) => both.findIndex((each) => sameValue(each, item)) === index);
    return { list: applyOrder(distinct, patch, target, undefined), before: target };
  }
  const given = applyDirectives(target, patch.filter(isFields), mergeKey);
  const merged = mergeMaps(given.target, given.patch, mergeKey, mergeItem);
  return {
    list: applyOrder(merged, given.patch, given.target, mergeKey),
    before: given.replaced ? target : merged.slice(0, target.length),
  };
}

/** Removes the values of a `$deleteFromPrimitiveList`. */
export function deleteFromList(target: readonly unknown[], removed: readonly unknown[]): unknown[] {
  holdMaps(target, removed);
  return target.filter((item) => !removed.some((each) => sameValue(each, item)));
}

/** Whether the patch items are in order; items with `$patch` count only after the order is exhausted. */
function standsIn(
  patch: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): boolean {
  const id = identity(mergeKey);
  const items = patch.filter((item) => ownField(item, '$patch') !== 'delete');
  let next = 0;
  for (const each of order) {
    while (next < items.length && ownField(items[next], '$patch') !== undefined) next += 1;
    if (next < items.length && sameValue(id(each), id(items[next]))) next += 1;
  }
  return next === items.length;
}

/** 500 if a patch list is in another order than its `$setElementOrder`. */
export function checkOrder(
  patch: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): void {
  if (order.length > 0 && !standsIn(patch, order, mergeKey))
    throw mismatch(
      `The order in patch list:\n${goText(patch)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
    );
}
