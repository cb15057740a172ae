import { isAll, sampled, wholeKinds } from '../lanes.ts';
import { subjects } from './subjects.ts';
import type { Subject, World } from './subject.ts';

/** Of how many kinds `npm test` plays a world, and of each kind that changed: more kinds cost nothing there. */
const KINDS = 1;
/** How many worlds the full lane plays in addition to one of each kind. */
const MORE_IN_FULL = 3;
/** How many worlds of each kind that changed it plays besides. */
const OF_CHANGED_IN_FULL = 4;

export interface Drawn {
  /** The kind, and how many of its worlds are played: the title of their tests. */
  title: string;
  subject: Subject;
  worlds: readonly World[];
  /** Every world of the kind is played. */
  isWhole: boolean;
}

/**
 * The subjects with the worlds that are played: all with `KRUISE_TEST=all`; in the full lane more of the kinds that changed. A
 * subject without worlds is left out.
 */
export function drawnWorlds(name: string, worldsOf: (subject: Subject) => readonly World[]): Drawn[] {
  const all = subjects
    .map((subject) => ({ subject, worlds: worldsOf(subject) }))
    .filter(({ worlds }) => worlds.length > 0);
  const everyWorld = all.flatMap(({ worlds }) => worlds);
  const additional = new Set(sampled(name, everyWorld, 0, MORE_IN_FULL));
  const kinds = new Set(sampled(`${name}: kinds`, all, KINDS));
  return all.flatMap((each) => {
    const { subject, worlds } = each;
    const { kind } = subject.kind.id;
    const hasChanged = wholeKinds.has(kind.toLowerCase());
    if (!kinds.has(each) && !hasChanged) return [];
    const own = new Set(sampled(`${name} ${kind}`, worlds, 1, hasChanged ? OF_CHANGED_IN_FULL : 1));
    const played = isAll ? worlds : worlds.filter((world) => own.has(world) || additional.has(world));
    const isWhole = played.length === worlds.length;
    const title = isWhole ? kind : `${kind}, ${played.length} of its ${worlds.length} worlds`;
    return [{ title, subject, worlds: played, isWhole }];
  });
}
