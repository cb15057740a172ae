import { sampled } from '../lanes.ts';
import { subjects } from './subjects.ts';
import type { Subject, World } from './subject.ts';

/** How many worlds are drawn in addition to one of each subject. So one more kind costs one more world. */
const MORE = 1;

/** The subjects with the worlds that are played: all of them in the full lane; else one of each subject, and one of any. */
export function drawnWorlds(
  name: string,
  worldsOf: (subject: Subject) => readonly World[],
): readonly (readonly [kind: string, subject: Subject, worlds: readonly World[]])[] {
  const all = subjects.map((subject) => ({ subject, worlds: worldsOf(subject) }));
  const additional = new Set(
    sampled(
      name,
      all.flatMap(({ worlds }) => worlds),
      MORE,
    ),
  );
  return all.map(({ subject, worlds }) => {
    const own = new Set(sampled(`${name} ${subject.kind.id.kind}`, worlds, 1));
    const played = worlds.filter((world) => own.has(world) || additional.has(world));
    return [subject.kind.id.kind, subject, played] as const;
  });
}
