/** No name or uid has more characters. */
const MOST_LENGTH = 253;

type Names = Partial<Record<'uid' | 'namespace' | 'name' | 'generateName', string>>;

/** Where a review names its pod. */
const PLACES: ReadonlyMap<string, keyof Names> = new Map([
  ['request.uid', 'uid'],
  ['request.namespace', 'namespace'],
  ['request.name', 'name'],
  ['request.object.metadata.name', 'name'],
  ['request.object.metadata.generateName', 'generateName'],
]);

/**
 * Names the pod of a review of which only the beginning is known: NAMESPACE/NAME, or how its name begins, or the uid of the request.
 * Undefined: its beginning does not say. Takes linear time.
 *
 * @param head JSON that is cut anywhere
 */
export function namesInHead(head: string): string | undefined {
  const { namespace, name, generateName, uid } = namesIn(head);
  const called = name ?? (generateName === undefined ? undefined : `${generateName}…`);
  if (called !== undefined) return namespace === undefined ? called : `${namespace}/${called}`;
  const place = namespace === undefined ? '' : `${namespace}: `;
  return uid === undefined ? namespace : `${place}request ${uid}`;
}

/** No name is in a list. */
function namesIn(head: string): Names {
  const found: Names = {};
  /** The keys of the objects that are open; that of the outermost is empty. */
  const path: string[] = [];
  let [key, isKey, lists] = ['', false, 0];
  for (let at = 0; at < head.length; at += 1) {
    const char = head[at];
    if (char === '"') {
      const end = endOfText(head, at + 1);
      if (end >= head.length) break;
      const text = head.slice(at + 1, end);
      at = end;
      if (isKey) key = text;
      else if (lists === 0) {
        const name = PLACES.get([...path.slice(1), key].join('.'));
        const isPlain = text !== '' && text.length <= MOST_LENGTH && !text.includes('\\');
        if (name !== undefined && isPlain) found[name] ??= text;
      }
      isKey = false;
    } else if (char === '{') {
      path.push(key);
      isKey = true;
    } else if (char === '}') path.pop();
    else if (char === '[') lists += 1;
    else if (char === ']') lists -= 1;
    else if (char === ',') isKey = true;
  }
  return found;
}

/** Where the quote is that ends a text. */
function endOfText(head: string, from: number): number {
  let at = from;
  while (at < head.length && head[at] !== '"') at += head[at] === '\\' ? 2 : 1;
  return at;
}
