import { protobufMessages } from '../../schemas/generated/protobuf.ts';
import { refuse } from '../api/errors.ts';

/**
 * Decodes `application/vnd.kubernetes.protobuf`, which typed clients send for built-in kinds. A message is written
 * as `group.version.Message field=NUMBER TYPE …`, without the blank: an empty field name is an inlined message. `?` marks
 * optional fields; others are always encoded, and empty means unset. `*` is a list, `%` a map with string keys, `:`
 * another message; letters are scalars and the few messages that JSON represents as scalars, or as a list of texts.
 */
interface Field {
  name: string;
  optional: boolean;
  type: FieldType;
}

type Letter = 's' | 'b' | 'i' | 'd' | 'y' | 'T' | 'U' | 'I' | 'Q' | 'R' | 'F' | 'E';

type FieldType =
  | { as: 'list' | 'map'; of: FieldType }
  | { as: 'message'; message: string }
  | { as: 'scalar'; letter: Letter };

type Message = ReadonlyMap<number, Field>;

let messages: ReadonlyMap<string, Message> | undefined;

function parseType(noted: string): FieldType {
  const rest = noted.slice(1);
  switch (noted.charAt(0)) {
    case '*':
      return { as: 'list', of: parseType(rest) };
    case '%':
      return { as: 'map', of: parseType(rest) };
    case ':':
      return { as: 'message', message: rest };
    default:
      return { as: 'scalar', letter: noted as Letter };
  }
}

function parseMessages(): ReadonlyMap<string, Message> {
  const found = new Map<string, Message>();
  for (const line of protobufMessages.trim().split('\n')) {
    const [message = '', ...fields] = line.split(' ');
    const byNumber = new Map<number, Field>();
    for (const each of fields) {
      const [, name = '', number = '', optional, type = ''] = /^(\w*)=(\d+)(\?)?(.+)$/.exec(each) ?? [];
      byNumber.set(Number(number), { name, optional: optional !== undefined, type: parseType(type) });
    }
    found.set(message, byNumber);
  }
  return found;
}

const malformed = () => refuse.badRequest('proto: illegal wireType or truncated message');

/** One encoded field: a number for varints and fixed widths, else the bytes. */
type Wire = { number: number; value: bigint | Uint8Array };

function varint(bytes: Uint8Array, from: number): { value: bigint; next: number } {
  let value = 0n;
  for (let index = from; index < from + 10; index += 1) {
    const byte = bytes[index];
    if (byte === undefined) break;
    value |= BigInt(byte & 0x7f) << BigInt(7 * (index - from));
    if (byte < 0x80) return { value, next: index + 1 };
  }
  throw malformed();
}

function fieldsOf(bytes: Uint8Array): Wire[] {
  const found: Wire[] = [];
  let at = 0;
  while (at < bytes.length) {
    const tag = varint(bytes, at);
    const number = Number(tag.value >> 3n);
    at = tag.next;
    const wireType = Number(tag.value & 7n);
    if (wireType === 0) {
      const { value, next } = varint(bytes, at);
      found.push({ number, value });
      at = next;
      continue;
    }
    const width = wireType === 1 ? 8 : wireType === 5 ? 4 : undefined;
    const size = width === undefined ? varint(bytes, at) : { value: BigInt(width), next: at };
    if ((width === undefined && wireType !== 2) || size.value > BigInt(bytes.length - size.next))
      throw malformed();
    at = size.next + Number(size.value);
    found.push({ number, value: bytes.subarray(size.next, at) });
  }
  return found;
}

function text(value: bigint | Uint8Array | undefined): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
}

function whole(value: bigint | Uint8Array | undefined): number {
  return typeof value === 'bigint' ? Number(BigInt.asIntN(64, value)) : 0;
}

function parts(value: bigint | Uint8Array): Map<number, bigint | Uint8Array> {
  if (!(value instanceof Uint8Array)) throw malformed();
  return new Map(fieldsOf(value).map((field) => [field.number, field.value]));
}

/** RFC 3339 of a Time (in whole seconds) or a MicroTime; undefined for the zero time. */
function moment(value: bigint | Uint8Array, fraction: boolean): string | undefined {
  const found = parts(value);
  if (found.size === 0) return undefined;
  const seconds = whole(found.get(1));
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) throw malformed();
  const base = date.toISOString().slice(0, 19);
  const micros = String(Math.floor(whole(found.get(2)) / 1000)).padStart(6, '0');
  return fraction ? `${base}.${micros}Z` : `${base}Z`;
}

function embedded(value: bigint | Uint8Array | undefined): unknown {
  try {
    return value === undefined ? undefined : (JSON.parse(text(value)) as unknown);
  } catch {
    throw malformed();
  }
}

function scalar(letter: Letter, value: bigint | Uint8Array): unknown {
  switch (letter) {
    case 's':
      return text(value);
    case 'b':
      return value !== 0n;
    case 'i':
      return whole(value);
    case 'd':
      if (!(value instanceof Uint8Array) || value.length !== 8) throw malformed();
      return Buffer.from(value).readDoubleLE();
    case 'y':
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '';
    case 'T':
    case 'U':
      return moment(value, letter === 'U');
    case 'I': {
      const found = parts(value);
      return whole(found.get(1)) === 1 ? text(found.get(3)) : whole(found.get(2));
    }
    case 'Q':
      return text(parts(value).get(1)) || '0';
    case 'E':
      if (!(value instanceof Uint8Array)) throw malformed();
      return fieldsOf(value).map((item) => text(item.value));
    case 'R':
    case 'F':
      return embedded(parts(value).get(1));
  }
}

function isNothing(value: unknown): boolean {
  if (value === undefined || value === '' || value === 0 || value === false) return true;
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function single(type: FieldType, value: bigint | Uint8Array): unknown {
  if (type.as === 'scalar') return scalar(type.letter, value);
  if (!(value instanceof Uint8Array) || type.as !== 'message') throw malformed();
  return readMessage(type.message, value);
}

/** A safe property name for a map key; `__proto__` becomes an ordinary key. */
function put(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
}

function readMessage(name: string, bytes: Uint8Array): Record<string, unknown> {
  const message = messages?.get(name);
  const object: Record<string, unknown> = {};
  for (const { number, value } of fieldsOf(bytes)) {
    const field = message?.get(number);
    // Unknown fields, of later or removed versions, are skipped.
    if (field === undefined) continue;
    const { type } = field;
    if (type.as === 'list') {
      const list = (object[field.name] ??= []) as unknown[];
      list.push(single(type.of, value));
    } else if (type.as === 'map') {
      const entry = parts(value);
      const map = (object[field.name] ??= {}) as Record<string, unknown>;
      const of = entry.get(2) ?? new Uint8Array();
      put(map, text(entry.get(1)), single(type.of, of));
    } else {
      const read = single(type, value);
      if (field.name === '') Object.assign(object, read);
      else if (field.optional ? read !== undefined : !isNothing(read)) object[field.name] = read;
    }
  }
  return object;
}

/** The package of a kind: all groups share DeleteOptions. */
function packageOf(apiVersion: string, kind: string): string {
  if (kind === 'DeleteOptions') return 'meta.v1';
  const [group = '', version] = apiVersion.split('/');
  return version === undefined
    ? `core.${group}`
    : `${group.replace(/\.([a-z.]+\.)?k8s\.io$/, '')}.${version}`;
}

const magic = [0x6b, 0x38, 0x73, 0x00];

/** The object of a protobuf body in JSON form. 400 for malformed bytes and unknown kinds. */
export function readProtobuf(
  bytes: Uint8Array,
): { apiVersion: string; kind: string } & Record<string, unknown> {
  if (magic.some((byte, index) => bytes[index] !== byte))
    throw refuse.badRequest(
      'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]',
    );
  messages ??= parseMessages();
  const envelope = parts(bytes.subarray(magic.length));
  const typeMeta = parts(envelope.get(1) ?? new Uint8Array());
  const apiVersion = text(typeMeta.get(1));
  const kind = text(typeMeta.get(2));
  const raw = envelope.get(2) ?? new Uint8Array();
  const message = `${packageOf(apiVersion, kind)}.${kind}`;
  if (!messages.has(message) || !(raw instanceof Uint8Array))
    throw refuse.badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  return { apiVersion, kind, ...readMessage(message, raw) };
}
