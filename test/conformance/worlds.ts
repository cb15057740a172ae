import { askedOf } from './asked.ts';
import { claimWorldsOf } from './claimed.ts';
import { historiesOf } from './histories.ts';
import { hookWorldsOf } from './hooked.ts';
import { limitWorldsOf } from './limited.ts';
import { orderedWorldsOf } from './ordered.ts';
import { resizeWorldsOf } from './resized.ts';
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

/** The histories of all changes of a kind. */
function changesOf(subject: Subject): World[] {
  return subject.changes.flatMap((change) => historiesOf(subject, change));
}

/** Of every change the first world, in which nothing else happens. */
function plainOf(subject: Subject): World[] {
  return subject.changes.flatMap((change) => historiesOf(subject, change).slice(0, 1));
}

/** Without worlds whose size changes: a runtime with a stale cache creates other pods. */
function sameSize(subject: Subject): World[] {
  return worldsOf(subject).filter(({ sizeChanges }) => sizeChanges !== true);
}

/** The worlds that a kind is played in under each disturbance, and those of each thing that it may serve. */
export const worldsFor = {
  crashes: worldsOf,
  faults: sameSize,
  refusals: (subject) => worldsOf(subject).filter((world) => subject.exceeds?.(world) !== true),
  blind: (subject) =>
    changesOf(subject).filter(({ title }) => title.endsWith('one, a soak, an approval, all')),
  levels: sameSize,
  together: (subject) => (subject.electedOnly === true ? [] : worldsOf(subject)),
  elected: plainOf,
  stopped: plainOf,
  refusedRevision: plainOf,
  asked: (subject) => subject.changes.flatMap((change) => askedOf(subject, change)),
  limits: limitWorldsOf,
  ordered: orderedWorldsOf,
  claimed: claimWorldsOf,
  resized: resizeWorldsOf,
  hooked: hookWorldsOf,
} as const satisfies Record<string, (subject: Subject) => readonly World[]>;

/** What kinds are played under, or for. */
export type Disturbance = keyof typeof worldsFor;
