import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import { isFields, sameValue, setOwn, type Fields } from '../store/value.ts';

function parsePointer(pointer: string): string[] {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) throw refuse.badRequest(`JSON pointer must start with "/": ${pointer}`);
  return pointer
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function missing(pointer: string): Error {
  return refuse.unprocessable(`the path "${pointer}" does not exist in the document`);
}

function arrayIndex(token: string, length: number, pointer: string): number {
  if (!/^(0|[1-9]\d*)$/.test(token) || Number(token) >= length) throw missing(pointer);
  return Number(token);
}

function readAt(document: unknown, tokens: readonly string[], pointer: string): unknown {
  let at = document;
  for (const token of tokens) {
    if (Array.isArray(at)) at = at[arrayIndex(token, at.length, pointer)];
    else if (isFields(at) && Object.hasOwn(at, token)) at = at[token];
    else throw missing(pointer);
  }
  return at;
}

type Edit = (container: Fields | unknown[], token: string) => void;

/** A copy of the document in which the container of the pointer's last token was edited; copies along the path only. */
function editAt(document: unknown, tokens: readonly string[], pointer: string, edit: Edit): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) throw refuse.unprocessable('the whole document cannot be edited in place');
  const copy = Array.isArray(document)
    ? [...(document as unknown[])]
    : isFields(document)
      ? { ...document }
      : undefined;
  if (copy === undefined) throw missing(pointer);
  if (rest.length === 0) edit(copy, token);
  else if (Array.isArray(copy)) {
    const index = arrayIndex(token, copy.length, pointer);
    copy[index] = editAt(copy[index], rest, pointer, edit);
  } else {
    if (!Object.hasOwn(copy, token)) throw missing(pointer);
    setOwn(copy, token, editAt(copy[token], rest, pointer, edit));
  }
  return copy;
}

function addAt(document: unknown, pointer: string, value: unknown): unknown {
  const tokens = parsePointer(pointer);
  if (tokens.length === 0) return value;
  return editAt(document, tokens, pointer, (container, token) => {
    if (!Array.isArray(container)) setOwn(container, token, value);
    else if (token === '-') container.push(value);
    else container.splice(arrayIndex(token, container.length + 1, pointer), 0, value);
  });
}

function removeAt(document: unknown, pointer: string): unknown {
  return editAt(document, parsePointer(pointer), pointer, (container, token) => {
    if (Array.isArray(container)) container.splice(arrayIndex(token, container.length, pointer), 1);
    else if (Object.hasOwn(container, token)) delete container[token];
    else throw missing(pointer);
  });
}

function replaceAt(document: unknown, pointer: string, value: unknown): unknown {
  const tokens = parsePointer(pointer);
  if (tokens.length === 0) return value;
  return editAt(document, tokens, pointer, (container, token) => {
    if (Array.isArray(container)) container[arrayIndex(token, container.length, pointer)] = value;
    else if (Object.hasOwn(container, token)) setOwn(container, token, value);
    else throw missing(pointer);
  });
}

function applyOne(document: unknown, operation: JsonPatchOperation): unknown {
  const { op, path } = operation;
  const from = operation.from ?? '';
  switch (op) {
    case 'add':
      return addAt(document, path, operation.value);
    case 'remove':
      return removeAt(document, path);
    case 'replace':
      return replaceAt(document, path, operation.value);
    case 'move':
      return addAt(removeAt(document, from), path, readAt(document, parsePointer(from), from));
    case 'copy':
      return addAt(document, path, readAt(document, parsePointer(from), from));
    case 'test':
      if (!sameValue(readAt(document, parsePointer(path), path), operation.value))
        throw refuse.unprocessable(`testing path ${path} value failed: test failed`);
      return document;
    default:
      throw refuse.badRequest(`unknown JSON patch operation ${JSON.stringify(op satisfies never)}`);
  }
}

/** JSON patch (RFC 6902): all operations or none. 422 when one does not apply, a failed `test` included. */
export function jsonPatch(document: unknown, operations: readonly JsonPatchOperation[]): unknown {
  if (!Array.isArray(operations)) throw refuse.badRequest('a JSON patch is a list of operations');
  return operations.reduce<unknown>(applyOne, document);
}
