import { claimWorldsOf } from './claimed.ts';
import { historiesOf } from './histories.ts';
import { hookWorldsOf } from './hooked.ts';
import { resizeWorldsOf } from './resized.ts';
import { orderedWorldsOf } from './ordered.ts';
import type { Subject, World } from './subject.ts';

/** All worlds of a kind. */
export function worldsOf(subject: Subject): readonly World[] {
  return [...subject.changes.flatMap((change) => historiesOf(subject, change)), ...otherWorldsOf(subject)];
}

/** The worlds of a kind that are no histories of its changes: those of what it serves, and its own. */
export function otherWorldsOf(subject: Subject): readonly World[] {
  return [
    ...hookWorldsOf(subject),
    ...resizeWorldsOf(subject),
    ...orderedWorldsOf(subject),
    ...claimWorldsOf(subject),
    ...subject.worlds,
  ];
}
