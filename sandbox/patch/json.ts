import { ApiError, type JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { setOwn } from '../store/value.ts';

/** The single error message for any patch that does not apply. */
function inapplicable(): ApiError {
  return new ApiError({
    code: 422,
    reason: 'Invalid',
    message: 'the server rejected our request due to an error in our request',
    details: {},
  });
}

function parsePointer(pointer: unknown): string[] {
  if (pointer === '') return [];
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) throw inapplicable();
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function arrayIndex(token: string, length: number): number {
  if (!/^(0|[1-9]\d*)$/.test(token) || Number(token) >= length) throw inapplicable();
  return Number(token);
}

function readAt(document: unknown, tokens: readonly string[]): unknown {
  let at = document;
  for (const token of tokens) {
    if (Array.isArray(at)) at = at[arrayIndex(token, at.length)];
    else if (isFields(at) && Object.hasOwn(at, token)) at = at[token];
    else throw inapplicable();
  }
  return at;
}

/** What `test` and `copy` read: a field that is absent counts as null. */
function readOrNull(document: unknown, path: string | undefined): unknown {
  const tokens = parsePointer(path);
  const last = tokens.at(-1);
  const container = readAt(document, tokens.slice(0, -1));
  if (last !== undefined && isFields(container) && !Object.hasOwn(container, last)) return null;
  return readAt(document, tokens);
}

type Edit = (container: Fields | unknown[], token: string) => void;

/** Copies the document along the path and edits the container of the last pointer token. */
function editAt(document: unknown, tokens: readonly string[], edit: Edit): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) throw inapplicable();
  const copy = Array.isArray(document)
    ? [...(document as unknown[])]
    : isFields(document)
      ? { ...document }
      : undefined;
  if (copy === undefined) throw inapplicable();
  if (rest.length === 0) edit(copy, token);
  else if (Array.isArray(copy)) {
    const index = arrayIndex(token, copy.length);
    copy[index] = editAt(copy[index], rest, edit);
  } else {
    if (!Object.hasOwn(copy, token)) throw inapplicable();
    setOwn(copy, token, editAt(copy[token], rest, edit));
  }
  return copy;
}

function addAt(document: unknown, pointer: string | undefined, value: unknown): unknown {
  const tokens = parsePointer(pointer);
  if (tokens.length === 0) return value;
  return editAt(document, tokens, (container, token) => {
    if (!Array.isArray(container)) setOwn(container, token, value);
    else if (token === '-') container.push(value);
    else container.splice(arrayIndex(token, container.length + 1), 0, value);
  });
}

function removeAt(document: unknown, pointer: string | undefined): unknown {
  return editAt(document, parsePointer(pointer), (container, token) => {
    if (Array.isArray(container)) container.splice(arrayIndex(token, container.length), 1);
    else if (Object.hasOwn(container, token)) delete container[token];
    else throw inapplicable();
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

function applyOne(document: unknown, operation: JsonPatchOperation, copies: { size: number }): unknown {
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
      return addAt(removeAt(document, from), path, readAt(document, parsePointer(from)));
    case 'copy': {
      const value = readOrNull(document, from);
      copies.size += sizeOf(value, copyLimit - copies.size);
      if (copies.size > copyLimit) throw inapplicable();
      return addAt(document, path, value);
    }
    case 'test':
      if (!sameValue(readOrNull(document, path), operation.value ?? null)) throw inapplicable();
      return document;
    default:
      op satisfies never;
      throw inapplicable();
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
    if (operation === null) throw inapplicable();
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
