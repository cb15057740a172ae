import { ApiError } from '../../schemas/wire/cluster.ts';
import { goText } from '../schema/goText.ts';
import { isFields, ownField, sameValue, type Fields } from '../store/value.ts';

/** A patch that does not fit the object is an error of the server's own: 500 without a reason. */
export function mismatch(message: string): ApiError {
  return new ApiError({ code: 500, reason: '', message });
}

/** What merges an item of a patch into the item that is there. */
export type MergeItem = (target: Fields, patch: Fields) => Fields;

function elementKind(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'list' : typeof value;
}

/** Whether the items of both lists are maps; 500 when they are not all of one kind, 422 for lists of lists. */
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

/** What tells items apart: the value of the merge key, or the item itself. */
function identity(mergeKey: string | undefined): (item: unknown) => unknown {
  return (item) => (mergeKey === undefined || !isFields(item) ? item : keyOf(item, mergeKey));
}

/** Takes `$patch` items out of a patch and does what they say to the target. */
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
      const gone = keyOf(item, mergeKey);
      left = left.filter((each) => !sameValue(ownField(each, mergeKey), gone));
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
 * Brings a merged list into order: items that `order` names stand in its order among themselves, the others in that
 * of the list that was there; one that was there stands before a named one when it stood before it, else after it.
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
    const place = stood(item);
    while (next < others.length && last(others[next]) < place) result.push(others[next++]);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

/** A merged list, and the list that was there as the server still sees it afterwards. */
export interface Merged {
  list: unknown[];
  before: readonly unknown[];
}

/**
 * Merges a list of a patch into a list: maps by their merge key, plain values as a set. The server takes items out
 * of and puts items into the slots of the list that was there, and asks those very slots for the old order when
 * `$setElementOrder` comes to it; so new items seem to have stood where the deletions made room.
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

/** Takes the values of a `$deleteFromPrimitiveList` out of a list. */
export function deleteFromList(target: readonly unknown[], gone: readonly unknown[]): unknown[] {
  holdMaps(target, gone);
  return target.filter((item) => !gone.some((each) => sameValue(each, item)));
}

/** Whether the items of a patch stand in an order; those with a `$patch` count only once the order is used up. */
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

/** 500 when the list of a patch stands in another order than its `$setElementOrder`. */
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
