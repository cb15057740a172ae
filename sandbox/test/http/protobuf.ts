function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)];
}

/** A field of a message: a number as a varint, text and bytes with their length. */
export function field(number: number, value: Uint8Array | string | number): number[] {
  if (typeof value === 'number') return [...varint(number << 3), ...varint(value)];
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return [...varint((number << 3) | 2), ...varint(bytes.length), ...bytes];
}

/** The bytes of a message of these fields. */
export const message = (...fields: number[][]) => Uint8Array.from(fields.flat());

/** The body that a client sends for an object. */
export function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const typeMeta = message(field(1, apiVersion), field(2, kind));
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...field(1, typeMeta), ...field(2, raw)]);
}
