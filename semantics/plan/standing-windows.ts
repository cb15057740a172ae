import type { Limits } from '../limits/window.ts';
import { LIMIT_FIELDS, usedBy } from './limit-use.ts';
import type { SharedPart } from './share.ts';
import type { ChildRow } from './units.ts';

/** A window stays until it may grow by this part of itself: so the pods of one child that become available are no write each. */
const WORTH_A_WRITE = 1 / 4;

/**
 * The shares of children with the windows that they have, as long as these are within the limits, and none may become much larger. While
 * one child ends its step, each of its pods that is available again makes the window of the next one larger by one. Once nothing more
 * comes free elsewhere, a window becomes what it may be at the most.
 *
 * Example: the window of a child is 8, and 17 pods of the child before are unavailable, of 25 that may be. It stays 8 until there are 15,
 * and is 10 then. One of at most 4 grows by one at a time.
 */
export function withStandingWindows(
  shares: ReadonlyMap<string, SharedPart>,
  limits: Limits,
  children: readonly ChildRow[],
): ReadonlyMap<string, SharedPart> {
  const fields = LIMIT_FIELDS.filter((field) => limits[field] !== undefined);
  const all = children.map((child) => ({ child, share: shares.get(child.name)?.share }));
  const stand = fields.every((field) => {
    const most = limits[field]?.count ?? 0;
    const taken = all.map(({ child }) => Math.max(usedBy[field](child), child.given?.window?.[field] ?? 0));
    if (taken.reduce((sum, each) => sum + each, 0) > most) return false;
    const used = all.reduce((sum, { child }) => sum + usedBy[field](child), 0);
    return all.every(({ child, share }) => {
      const [before, next] = [child.given?.window?.[field], share?.window[field]];
      if (share?.moving !== true) return true;
      if (before === undefined || next === undefined) return false;
      const comesFree = used > usedBy[field](child);
      return next <= before || (comesFree && next - before < before * WORTH_A_WRITE);
    });
  });
  if (!stand) return shares;
  return new Map(
    [...shares].map(([name, part]) => {
      const window = children.find((child) => child.name === name)?.given?.window;
      const isKept = part.share.moving && window !== undefined;
      return [name, isKept ? { ...part, share: { ...part.share, window } } : part];
    }),
  );
}
