import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import { bytesText, conversionFault, valueText } from '../text.ts';
import { durationNanos, inZone, timeNanos } from '../time.ts';
import {
  durationOf,
  typeName,
  uintOf,
  type Duration,
  type Timestamp,
  type Uint,
  type Value,
} from '../values.ts';
import { int, timestamp, uint } from './operators.ts';

const identity = (value: Value): Value => value;

function doubleToInt(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) throw new EvaluationFault('integer overflow');
  return BigInt(Math.trunc(value));
}

function textToInt(text: string): bigint {
  const value = /^[+-]?\d+$/.test(text) ? BigInt(text.replace('+', '')) : undefined;
  if (value === undefined || value >= 2n ** 63n || value < -(2n ** 63n)) throw conversionFault(text, 'int');
  return value;
}

function textToUint(text: string): Uint {
  const value = /^\d+$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value >= 2n ** 64n) throw conversionFault(text, 'uint');
  return uintOf(value);
}

function textToDouble(text: string): number {
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text)))
    return Number(text);
  const [, sign, word] = /^([+-]?)(inf|infinity|nan)$/i.exec(text) ?? [];
  if (word === undefined) throw conversionFault(text, 'double');
  if (word.toLowerCase() === 'nan') return Number.NaN;
  return sign === '-' ? -Infinity : Infinity;
}

const truths: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  T: true,
  true: true,
  TRUE: true,
  True: true,
  '0': false,
  f: false,
  F: false,
  false: false,
  FALSE: false,
  False: false,
};

function textToBool(text: string): boolean {
  const value = Object.hasOwn(truths, text) ? truths[text] : undefined;
  if (value === undefined) throw conversionFault(text, 'bool');
  return value;
}

function textToDuration(text: string): Duration {
  const nanos = durationNanos(text);
  if (nanos === undefined) throw conversionFault(text, 'google.protobuf.Duration');
  return durationOf(nanos);
}

function textToTimestamp(text: string): Timestamp {
  const nanos = timeNanos(text);
  if (nanos === undefined) throw conversionFault(text, 'google.protobuf.Timestamp');
  return timestamp(nanos);
}

function textOf(value: Value): string {
  const text = valueText(value);
  if (text === undefined) throw conversionFault(value, 'string');
  return text;
}

/** A component of a timestamp, in UTC or a zone. */
function part(read: (date: Date) => number): Form[] {
  const call = (time: Timestamp, zone = 'UTC') => {
    const date = inZone(time.nanos, zone);
    if (date === undefined) throw new EvaluationFault(`unknown time zone ${zone}`);
    return BigInt(read(date));
  };
  return [
    ['timestamp.() int', call],
    ['timestamp.(string) int', call],
  ];
}

const whole = (unit: bigint): Form => ['duration.() int', ({ nanos }: Duration) => nanos / unit];

function dayOfYear(date: Date): number {
  const day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
  return Math.round((day - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

/** Type conversions and accessors of timestamps and durations. */
export const conversions: Readonly<Record<string, readonly Form[]>> = {
  dyn: [['(A) dyn', identity]],
  type: [['(A) type<A>', (value: Value) => ({ kind: 'type', name: typeName(value) })]],
  bool: [
    ['(bool) bool', identity],
    ['(string) bool', textToBool],
  ],
  bytes: [
    ['(bytes) bytes', identity],
    ['(string) bytes', (text: string) => new Uint8Array(Buffer.from(text))],
  ],
  double: [
    ['(double) double', identity],
    ['(int) double', Number],
    ['(string) double', textToDouble],
    ['(uint) double', ({ value }: Uint) => Number(value)],
  ],
  duration: [
    ['(duration) duration', identity],
    ['(int) duration', (nanos: bigint) => durationOf(nanos)],
    ['(string) duration', textToDuration],
  ],
  int: [
    ['(int) int', identity],
    ['(double) int', doubleToInt],
    ['(duration) int', ({ nanos }: Duration) => nanos],
    ['(string) int', textToInt],
    [
      '(timestamp) int',
      ({ nanos }: Timestamp) =>
        (nanos - (((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n)) / 1_000_000_000n,
    ],
    ['(uint) int', ({ value }: Uint) => int(value)],
  ],
  string: [
    ['(string) string', identity],
    ['(bool) string', textOf],
    ['(bytes) string', bytesText],
    ['(double) string', textOf],
    ['(duration) string', textOf],
    ['(int) string', textOf],
    ['(timestamp) string', textOf],
    ['(uint) string', textOf],
    ['(net.IP) string', textOf],
    ['(net.CIDR) string', textOf],
  ],
  timestamp: [
    ['(timestamp) timestamp', identity],
    ['(int) timestamp', (seconds: bigint) => timestamp(seconds * 1_000_000_000n)],
    ['(string) timestamp', textToTimestamp],
  ],
  uint: [
    ['(uint) uint', identity],
    [
      '(double) uint',
      (value: number) => uint(value < 0 || !Number.isFinite(value) ? -1n : BigInt(Math.trunc(value))),
    ],
    ['(int) uint', uint],
    ['(string) uint', textToUint],
  ],
  getFullYear: part((date) => date.getUTCFullYear()),
  getMonth: part((date) => date.getUTCMonth()),
  getDayOfYear: part(dayOfYear),
  getDayOfMonth: part((date) => date.getUTCDate() - 1),
  getDate: part((date) => date.getUTCDate()),
  getDayOfWeek: part((date) => date.getUTCDay()),
  getHours: [...part((date) => date.getUTCHours()), whole(3_600_000_000_000n)],
  getMinutes: [...part((date) => date.getUTCMinutes()), whole(60_000_000_000n)],
  getSeconds: [...part((date) => date.getUTCSeconds()), whole(1_000_000_000n)],
  getMilliseconds: [...part((date) => date.getUTCMilliseconds()), whole(1_000_000n)],
};
