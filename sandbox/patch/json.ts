import { ApiError, type JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';

/** A patch that does not apply. Clients get one message for all reasons; a server shows the reason of its own patches. */
export class Inapplicable extends ApiError {
  readonly why: string;
  /** A `test` did not hold. */
  readonly isTest: boolean;
  constructor(why: string, isTest = false) {
    super({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    });
    this.why = why;
    this.isTest = isTest;
  }
}

/** What an operation does not find: the container of its target, the member of it, or the expected value. */
class Misfit extends Error {
  readonly of: 'container' | 'member' | 'value' | 'operation';
  /** Whether it is about what the operation reads. */
  isFrom = false;
  constructor(of: Misfit['of'], message = 'missing value') {
    super(message);
    this.of = of;
  }
}

function parsePointer(pointer: unknown): string[] {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) throw new Misfit('container');
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** The index that a token names, counted from the end if it is negative; undefined if it is no number. */
function indexOf(token: string, length: number): number | undefined {
  if (!/^[+-]?\d+$/.test(token)) return undefined;
  const index = Number(token);
  return index < 0 ? index + length : index;
}

/** `what`: how the server begins to say that the token is no number. */
function arrayIndex(token: string, length: number, what = ''): number {
  const index = indexOf(token, length);
  if (index === undefined)
    throw new Misfit('member', `${what}strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`);
  if (index >= 0 && index < length) return index;
  throw new Misfit('member', `Unable to access invalid index: ${Number(token)}: invalid index referenced`);
}

/** The value in which the target of a pointer is. */
function containerAt(document: unknown, tokens: readonly string[]): unknown {
  let at = document;
  for (const token of tokens.slice(0, -1)) {
    if (Array.isArray(at)) at = at[indexOf(token, at.length) ?? -1] as unknown;
    else at = isFields(at) && Object.hasOwn(at, token) ? at[token] : undefined;
    if (typeof at !== 'object' || at === null) throw new Misfit('container');
  }
  return at;
}

/** A field that is absent counts as null. */
function readOrNull(document: unknown, pointer: string | undefined): unknown {
  const tokens = parsePointer(pointer);
  const last = tokens.at(-1);
  const container = containerAt(document, tokens);
  if (last === undefined) return container;
  if (Array.isArray(container)) return container[arrayIndex(last, container.length)];
  return isFields(container) && Object.hasOwn(container, last) ? container[last] : null;
}

type Edit = (container: Fields | unknown[], token: string) => void;

/** Copies the document along the path and edits the container of the last pointer token. */
function editAt(document: unknown, tokens: readonly string[], edit: Edit): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) throw new Misfit('container');
  const copy = Array.isArray(document)
    ? [...(document as unknown[])]
    : isFields(document)
      ? { ...document }
      : undefined;
  if (copy === undefined) throw new Misfit('container');
  if (rest.length === 0) edit(copy, token);
  else if (Array.isArray(copy)) {
    const index = indexOf(token, copy.length) ?? -1;
    if (!(index in copy)) throw new Misfit('container');
    copy[index] = editAt(copy[index], rest, edit);
  } else {
    if (!Object.hasOwn(copy, token)) throw new Misfit('container');
    setOwn(copy, token, editAt(copy[token], rest, edit));
  }
  return copy;
}

function addAt(document: unknown, pointer: string | undefined, value: unknown): unknown {
  return editAt(document, parsePointer(pointer), (container, token) => {
    if (!Array.isArray(container)) return setOwn(container, token, value);
    const what = `value was not a proper array index: '${token}': `;
    const index = token === '-' ? container.length : arrayIndex(token, container.length + 1, what);
    container.splice(index, 0, value);
  });
}

function removeAt(document: unknown, pointer: string | undefined): unknown {
  return editAt(document, parsePointer(pointer), (container, token) => {
    if (Array.isArray(container)) container.splice(arrayIndex(token, container.length), 1);
    else if (Object.hasOwn(container, token)) delete container[token];
    else throw new Misfit('member', `Unable to remove nonexistent key: ${token}: missing value`);
  });
}

/** A server sets a field that is absent, too, against RFC 6902; an absent item of a list is refused. */
function replaceAt(document: unknown, pointer: string | undefined, value: unknown): unknown {
  const tokens = parsePointer(pointer);
  if (tokens.length === 0) return value;
  return editAt(document, tokens, (container, token) => {
    if (Array.isArray(container)) container[arrayIndex(token, container.length)] = value;
    else setOwn(container, token, value);
  });
}

/**
 * Limit for the size of copied values per patch, in characters of JSON, because repeated copies grow exponentially.
 */
const copyLimit = 3 * 1024 * 1024;

/** The approximate JSON size of a value; stops above `most`. */
function sizeOf(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  let size = 2;
  for (const [key, item] of Object.entries(value)) {
    if (size > most) break;
    size += key.length + 4 + sizeOf(item, most - size);
  }
  return size;
}

function operated(document: unknown, operation: JsonPatchOperation, copies: { size: number }): unknown {
  const { op, path } = operation;
  const { from } = operation;
  switch (op) {
    case 'add':
      return addAt(document, path, operation.value);
    case 'remove':
      return removeAt(document, path);
    case 'replace':
      return replaceAt(document, path, operation.value ?? null);
    case 'move':
      return addAt(
        reading(() => removeAt(document, from)),
        path,
        readOrNull(document, from),
      );
    case 'copy': {
      const value = reading(() => readOrNull(document, from));
      copies.size += sizeOf(value, copyLimit - copies.size);
      if (copies.size > copyLimit) throw new Misfit('member', 'the copies are too large');
      return addAt(document, path, value);
    }
    case 'test':
      if (sameValue(readOrNull(document, path), operation.value ?? null)) return document;
      throw new Misfit('value');
    default:
      throw new Misfit('operation', `Unexpected kind: ${String(op satisfies never)}`);
  }
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Misfit) error.isFrom = true;
    throw error;
  }
}

/** Why an operation does not apply, as a server says it. */
function reasonOf({ op, path, from = '' }: JsonPatchOperation, { of, isFrom, message }: Misfit): string {
  const isOther = op === 'move' || op === 'copy';
  const missing = (what: string) => `${op} operation does not apply: ${what}: missing value`;
  switch (of) {
    case 'operation':
      return message;
    case 'value':
      return `testing value ${path} failed: test failed`;
    case 'container':
      if (isOther)
        return missing(`doc is missing ${isFrom ? 'from' : 'destination'} path: ${isFrom ? from : path}`);
      if (op === 'test') return missing(`is missing path: ${path}`);
      return missing(`doc is missing path: ${op === 'replace' ? path : JSON.stringify(path)}`);
    case 'member':
      if (op === 'replace') return missing(`doc is missing key: ${path}`);
      if (op === 'copy')
        return isFrom
          ? `error in copy for from: '${from}': ${message}`
          : `error while adding value during copy: ${message}`;
      return `error in ${op} for path: '${isFrom ? from.split('/').at(-1) : path}': ${message}`;
  }
}

function applyOne(document: unknown, operation: JsonPatchOperation, copies: { size: number }): unknown {
  try {
    return operated(document, operation, copies);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new Inapplicable(reasonOf(operation, error), error.of === 'value');
  }
}

function goKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** 400 unless it is a list of operations. */
function checkForm(operations: unknown): void {
  const refused = (value: unknown, into: string) =>
    refuse.badRequest(`error decoding patch: json: cannot unmarshal ${goKind(value)} into Go ${into}`);
  if (!Array.isArray(operations)) throw refused(operations, 'value of type []handlers.jsonPatchOp');
  for (const operation of operations as unknown[]) {
    if (operation === null) throw new Inapplicable('an operation is null');
    if (!isFields(operation)) throw refused(operation, 'value of type handlers.jsonPatchOp');
    for (const name of ['op', 'path', 'from']) {
      const value = operation[name] ?? undefined;
      if (value !== undefined && typeof value !== 'string')
        throw refused(value, `struct field jsonPatchOp.${name} of type string`);
    }
  }
}

/**
 * JSON patch (RFC 6902): all operations or none. 422 if one does not apply, including a failed `test`, or if copies
 * exceed the limit; 400 for malformed patches.
 */
export function jsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  checkForm(operations);
  const copies = { size: 0 };
  return operations.reduce<unknown>((present, operation) => applyOne(present, operation, copies), document);
}
