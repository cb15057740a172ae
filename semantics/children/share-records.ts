import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Action } from '../decision.ts';
import type { Revision } from '../revision/revision.ts';
import { revisionNumber } from '../revision/revisions.ts';
import { annotateRevision } from '../revision/writes.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { remembered } from '../values/remembered.ts';

/**
 * The shares that a root gives its children, by their names, on its newest revision: `web-a:0123… web-b:4567…,89ab…`. It is recorded
 * before the child is written, so that a child has two for a while: what it is, and what it will be. Any other is not believed, an
 * earlier one of the same child neither.
 */
export const SHARES_ANNOTATION = 'plan.kruise.io/shares';

/** Digests of shares by the name of a child. */
export type ShareRecords = ReadonlyMap<string, readonly string[]>;

/** The annotation of these records, by name. A child without a share is not in it. */
export function sharesText(records: ShareRecords): string {
  return [...records]
    .filter(([, digests]) => digests.length > 0)
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([name, digests]) => `${name}:${[...digests].sort(compareCodePoints).join(',')}`)
    .join(' ');
}

/** What a root has on record. The newest revision that has a record counts, and no other. */
export function recordedShares(revisions: readonly KubeObject[]): ShareRecords {
  let newest: KubeObject | undefined;
  for (const revision of revisions) {
    if (revision.metadata.annotations?.[SHARES_ANNOTATION] === undefined) continue;
    if (newest === undefined || revisionNumber(revision) > revisionNumber(newest)) newest = revision;
  }
  return newest === undefined ? new Map() : recordsOn(newest);
}

/** None if the text was not written by `sharesText`. */
const recordsOn = remembered(({ metadata }: KubeObject): ShareRecords => {
  const text = metadata.annotations?.[SHARES_ANNOTATION] ?? '';
  const records = new Map<string, string[]>();
  for (const word of text === '' ? [] : text.split(' ')) {
    const [, name, digests] = /^([a-z0-9.-]+):([0-9a-f]{32}(?:,[0-9a-f]{32})*)$/.exec(word) ?? [];
    if (name === undefined || digests === undefined) return new Map();
    records.set(name, digests.split(','));
  }
  return records;
});

/**
 * The writes that make these the records: first those of the holder, then none on any other revision, which might become the newest
 * again.
 *
 * @param holder the newest revision
 */
export function recordShares(
  revisions: readonly Revision[],
  holder: Revision,
  records: ShareRecords,
): Action[] {
  const text = sharesText(records);
  const before = holder.object.metadata.annotations?.[SHARES_ANNOTATION];
  if (before !== text && !(before === undefined && text === ''))
    return [write(holder, text, 'its children get other shares')];
  return revisions
    .filter(
      ({ name, object }) =>
        name !== holder.name && object.metadata.annotations?.[SHARES_ANNOTATION] !== undefined,
    )
    .map((each) => write(each, null, 'the shares of its children are on record elsewhere'));
}

function write(revision: Revision, text: string | null, reason: string): Action {
  return annotateRevision(revision, 'record shares', { [SHARES_ANNOTATION]: text }, reason);
}
