import type { KubeObject } from '../../schemas/wire/object.ts';
import { SIZE_ANNOTATION } from '../children/subset-keys.ts';
import { readCounter } from '../values/counter.ts';
import { timeOf, timestamp } from '../values/timestamp.ts';
import { sizeOf } from './child.ts';

const MINUTE = 60_000;
/** How long the size of others stays once it was written back and changed again. It doubles each time. */
const FIRST_PAUSE_MS = 10 * MINUTE;
const LONGEST_PAUSE_MS = 5 * 60 * MINUTE;
/** Changes that are further apart have nothing to do with one another. */
const FORGOTTEN_MS = 24 * 60 * MINUTE;
/** What is longer is no record. */
const LONGEST_RECORD = 100;

interface Given {
  size: number;
  at: number;
  again: number;
}

/**
 * Until when a child keeps a size that others have given it, milliseconds since 1970: an autoscaler would change it again at once. The first
 * time it is written back, so that an edit by hand does not last. Undefined: it gets the size that is wanted.
 */
export function keepsSizeUntil(child: KubeObject, wanted: number, now: number): number | undefined {
  const given = givenSize(child, now);
  if (given === undefined || given.again === 0 || !isChangedByOthers(child, given, wanted)) return undefined;
  const until = given.at + Math.min(FIRST_PAUSE_MS * 2 ** (given.again - 1), LONGEST_PAUSE_MS);
  return now < until ? until : undefined;
}

/** The record of a size that a child is given now. */
export function sizeText(child: KubeObject | undefined, wanted: number, now: number): string {
  const given = child && givenSize(child, now);
  const before = given?.again ?? 0;
  const isBack = child !== undefined && given !== undefined && isChangedByOthers(child, given, wanted);
  const again = isBack ? before + 1 : before;
  return `${wanted} at ${timestamp(now)}${again === 0 ? '' : `, again ${again}`}`;
}

/** Another size than that which it was given, and which is still wanted. */
function isChangedByOthers(child: KubeObject, given: Given, wanted: number): boolean {
  return given.size === wanted && sizeOf(child) !== wanted;
}

/** What is on record; undefined: nothing, or it is of another time. */
function givenSize({ metadata }: KubeObject, now: number): Given | undefined {
  const text = metadata.annotations?.[SIZE_ANNOTATION] ?? '';
  if (text.length > LONGEST_RECORD) return undefined;
  const [, count, time, times = '0'] = /^([0-9]+) at ([^,]+)(?:, again ([0-9]+))?$/.exec(text) ?? [];
  const [size, again, at] = [readCounter(count), readCounter(times), timeOf(time)];
  if (size === undefined || again === undefined || at > now || now - at > FORGOTTEN_MS) return undefined;
  return { size, at, again: Math.min(again, 10) };
}
