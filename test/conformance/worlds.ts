import { historiesOf } from './histories.ts';
import { hookWorldsOf } from './hooked.ts';
import { resizeWorldsOf } from './resized.ts';
import { orderedWorldsOf } from './ordered.ts';
import type { Subject, World } from './subject.ts';

/** All worlds of a kind. */
export function worldsOf(subject: Subject): readonly World[] {
  return [
    ...subject.changes.flatMap((change) => historiesOf(subject, change)),
    ...hookWorldsOf(subject),
    ...resizeWorldsOf(subject),
    ...orderedWorldsOf(subject),
    ...subject.worlds,
  ];
}
