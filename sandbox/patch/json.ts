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
  readonly of: 'container' | 'member' | 'value';
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

function arrayIndex(token: string, length: number): number {
  if (!/^(0|[1-9]\d*)$/.test(token))
    throw new Misfit('member', `value was not a proper array index: '${token}': ${notNumber(token)}`);
  if (Number(token) < length) return Number(token);
  throw new Misfit('member', `Unable to access invalid index: ${token}: invalid index referenced`);
}

const notNumber = (token: string) => `strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`;

/** The value in which the target of a pointer is. */
function containerAt(document: unknown, tokens: readonly string[]): unknown {
  let at = document;
  for (const token of tokens.slice(0, -1)) {
    if (Array.isArray(at) && /^\d+$/.test(token)) at = at[Number(token)] as unknown;
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
    if (!/^\d+$/.test(token) || Number(token) >= copy.length) throw new Misfit('container');
    copy[Number(token)] = editAt(copy[Number(token)], rest, edit);
  } else {
    if (!Object.hasOwn(copy, token)) throw new Misfit('container');
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
      return addAt(removeAt(document, from), path, readOrNull(document, from));
    case 'copy': {
      const value = readOrNull(document, from);
      copies.size += sizeOf(value, copyLimit - copies.size);
      if (copies.size > copyLimit) throw new Misfit('member', 'the copies are too large');
      return addAt(document, path, value);
    }
    case 'test':
      if (sameValue(readOrNull(document, path), operation.value ?? null)) return document;
      throw new Misfit('value');
    default:
      throw new Misfit('member', `Unexpected kind: ${String(op satisfies never)}`);
  }
}

/** Why an operation does not apply, as a server says it. */
function reasonOf({ op, path }: JsonPatchOperation, { of, message }: Misfit): string {
  const at = op === 'add' || op === 'remove' ? JSON.stringify(path) : path;
  if (of === 'value') return `testing value ${path} failed: test failed`;
  if (of === 'container') return `${op} operation does not apply: doc is missing path: ${at}: missing value`;
  return op === 'replace'
    ? `replace operation does not apply: doc is missing key: ${path}: missing value`
    : `error in ${op} for path: '${path}': ${message}`;
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
