import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { listOf, memberOf, numberOf, objectOf, textOf } from '../values/read.ts';
import type { WantedTag } from './normalize.ts';

/** How far a tag is, as a status has it (OpenKruise image-pull, section 3). */
export interface TagStatus {
  tag: string;
  phase: 'Waiting' | 'Pulling' | 'Succeeded' | 'Failed';
  progress: number;
  version: number;
  startTime?: string;
  completionTime?: string;
  /** As OpenKruise has written it. */
  imageID?: string;
  message?: string;
}

/** A tag, and how far it is. */
export interface TagRow {
  wanted: WantedTag;
  is: TagStatus;
}

/** The status of a NodeImage. */
export interface NodeImageStatus {
  desired: number;
  succeeded?: number;
  failed?: number;
  pulling?: number;
  waiting?: number;
  imageStatuses?: Readonly<Record<string, { tags: readonly TagStatus[] }>>;
  conditions?: readonly Condition[];
}

/** What the status has of this version of a tag, of any writer; undefined: nothing. */
export function recordedTag({ status }: KubeObject, wanted: WantedTag): TagStatus | undefined {
  const images = objectOf(objectOf(status)['imageStatuses']);
  const found = listOf(objectOf(memberOf(images, wanted.name))['tags']).find(
    ({ tag, version }) => tag === wanted.tag && (numberOf(version) ?? 0) === wanted.version,
  );
  if (found === undefined) return undefined;
  const { phase } = found;
  const isKnown = phase === 'Pulling' || phase === 'Succeeded' || phase === 'Failed';
  return tagStatus(wanted, isKnown ? phase : 'Waiting', {
    startTime: textOf(found['startTime']),
    completionTime: textOf(found['completionTime']),
    imageID: textOf(found['imageID']),
    message: textOf(found['message']),
  });
}

/** The row of a tag. Texts that are empty are left out. */
export function tagStatus(
  { tag, version }: WantedTag,
  phase: TagStatus['phase'],
  texts: Partial<Record<'startTime' | 'completionTime' | 'imageID' | 'message', string | undefined>>,
): TagStatus {
  const filled = Object.entries(texts).filter(([, text]) => text !== undefined && text !== '');
  return { tag, phase, progress: phase === 'Succeeded' ? 100 : 0, version, ...Object.fromEntries(filled) };
}

/** Whether the pull of this version is over, well or not: it is not begun again. */
export function isOver(row: TagStatus | undefined): boolean {
  return row?.phase === 'Succeeded' || row?.phase === 'Failed';
}

/** The numbers of a status, and its rows by image. */
export function countedTags(rows: readonly TagRow[]): NodeImageStatus {
  const count = (phase: TagStatus['phase']): number => rows.filter(({ is }) => is.phase === phase).length;
  const images = new Map<string, TagStatus[]>();
  for (const { wanted, is } of rows) {
    const own = images.get(wanted.name);
    if (own === undefined) images.set(wanted.name, [is]);
    else own.push(is);
  }
  return {
    desired: rows.length,
    succeeded: count('Succeeded'),
    failed: count('Failed'),
    pulling: count('Pulling'),
    waiting: count('Waiting'),
    ...(images.size > 0 && {
      imageStatuses: Object.fromEntries([...images].map(([name, tags]) => [name, { tags }])),
    }),
  };
}

type Held = { reason: string; message: string } | undefined;

/** The condition that the target is held, with the time that it had before. */
export function heldIn({ status }: KubeObject, held: Held, now: number): Pick<NodeImageStatus, 'conditions'> {
  const before = listOf(objectOf(status)['conditions']) as unknown as Condition[];
  const conditions = timed([heldCondition(held)], before, now);
  return conditions.length > 0 ? { conditions } : {};
}

/** The numbers of a status, of any writer. */
export function countsIn({ status }: KubeObject): {
  desired: number | undefined;
  succeeded: number;
  failed: number;
} {
  const { desired, succeeded, failed } = objectOf(status);
  return {
    desired: numberOf(desired),
    succeeded: numberOf(succeeded) ?? 0,
    failed: numberOf(failed) ?? 0,
  };
}
