import type { KubeObject } from '../../schemas/wire/object.ts';

/** Characters in the cache of serialized objects; up to twice as many, because it is evicted in two generations. */
const cachedSize = 4 * 1024 * 1024;

/** The JSON of an object without apiVersion, kind and the opening brace. */
let tails = new WeakMap<KubeObject, string>();
let olderTails = new WeakMap<KubeObject, string>();
let size = 0;

function keep(object: KubeObject, tail: string): void {
  size += tail.length;
  if (size > cachedSize) {
    olderTails = tails;
    tails = new WeakMap();
    size = tail.length;
  }
  tails.set(object, tail);
}

function tailOf(object: KubeObject): string {
  const young = tails.get(object);
  if (young !== undefined) return young;
  let tail = olderTails.get(object);
  if (tail === undefined) {
    const { apiVersion: _apiVersion, kind: _kind, ...rest } = object;
    tail = JSON.stringify(rest).slice(1);
  }
  // Only frozen objects can be cached.
  if (Object.isFrozen(object)) keep(object, tail);
  return tail;
}

/** An object as JSON, starting with kind and apiVersion. */
export function objectText(object: KubeObject): string {
  const head = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)}`;
  const tail = tailOf(object);
  return tail === '}' ? `${head}}` : `${head},${tail}`;
}

/** The JSON of a list. Items of built-in kinds omit kind and apiVersion. */
export function listText(
  list: { kind: string; apiVersion: string; metadata: object; items: readonly KubeObject[] },
  itemsNamed: boolean,
): string {
  const head = JSON.stringify({ kind: list.kind, apiVersion: list.apiVersion, metadata: list.metadata });
  const items = list.items.map((item) => (itemsNamed ? objectText(item) : `{${tailOf(item)}`));
  return `${head.slice(0, -1)},"items":[${items.join(',')}]}`;
}
