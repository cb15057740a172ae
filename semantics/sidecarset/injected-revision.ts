import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf } from '../values/read.ts';
import { selectorPredicate } from '../values/selector.ts';
import { revisionHashes } from './content.ts';
import { isAmong } from './drawn.ts';
import { setHashes, type SetHashes } from './hash.ts';
import { type Injectable, injectableOf, type NormalSidecarSet } from './normalize.ts';
import { pinnedRevision } from './pinned.ts';
import { SET_NAME_LABEL } from './resource.ts';
import type { ReadSet } from './select.ts';

/** What of a set a pod gets: its present content, or that of a revision. */
export interface InjectedRevision extends Injectable, SetHashes {
  set: NormalSidecarSet;
  /** The ControllerRevision; undefined: the set has none yet. */
  revision: string | undefined;
  reason: string;
}

/**
 * Which revision of a set a new pod gets (OpenKruise sidecarset, rule 6.4). A revision that git pins outranks the one that a
 * plan publishes, if the set was ever complete on it. `refused`: there is no such revision.
 *
 * @param revisions the ControllerRevisions of any set
 * @param published the name of the revision that a plan gives to new pods; undefined: the present content of the set
 * @param requestId what is drawn by, where a share of new pods gets the pinned revision
 */
export function revisionToInject(
  { object, set }: ReadSet,
  pod: KubeObject,
  revisions: readonly KubeObject[],
  published: string | undefined,
  requestId: string,
): InjectedRevision | { refused: string } {
  const pin = pinnedRevision(set, revisions);
  if (pin !== undefined && 'missing' in pin)
    return { refused: isElsewhere(object, set, revisions) ? ELSEWHERE : pin.missing };
  const why = reasonForPinned(set, pod, requestId);
  if (pin !== undefined && 'revision' in pin && why !== undefined) return restored(set, pin.revision, why);
  const besides =
    pin === undefined
      ? ''
      : 'unfinished' in pin
        ? `, as no plan has completed ${pin.unfinished} for all pods, which is pinned`
        : ', as spec.updateStrategy gives this pod none that is pinned';
  if (published === undefined) return current(object, set, `the present content of the set${besides}`);
  const found = revisions.find(({ metadata }) => metadata.name === published);
  return found === undefined
    ? { refused: `the revision ${published}, which new pods get, does not exist` }
    : restored(set, found, `the revision that new pods get under the plan${besides}`);
}

const ELSEWHERE =
  'its revisions are not in the namespace where they are looked for: start kruise run --admission with the --lease-namespace of the runtime';

/** Whether a set that is on record has no revision among these: then none is missing, but all are in another namespace. */
function isElsewhere(
  object: KubeObject,
  { name }: NormalSidecarSet,
  revisions: readonly KubeObject[],
): boolean {
  return (
    newestOnRecord(object) !== undefined &&
    !revisions.some(({ metadata }) => metadata.labels?.[SET_NAME_LABEL] === name)
  );
}

/** The revision that the status of a set names as its newest; undefined: none is on record. */
export function newestOnRecord(object: KubeObject): string | undefined {
  const { latestRevision } = objectOf(object['status']);
  return typeof latestRevision === 'string' && latestRevision !== '' ? latestRevision : undefined;
}

/** Why a pod gets the pinned revision; undefined: it does not (rules 6.4.3 to 6.4.5). */
function reasonForPinned(
  { name, pinned, isPaused, updateSelector, partition }: NormalSidecarSet,
  pod: KubeObject,
  requestId: string,
): string | undefined {
  if (isPaused) return 'spec.injectionStrategy.revision, as spec.updateStrategy.paused is true';
  if (pinned?.isPartial !== true) return 'spec.injectionStrategy.revision';
  if (updateSelector !== undefined && !selectorPredicate(updateSelector)(pod.metadata.labels))
    return 'spec.updateStrategy.selector does not select the pod';
  const percent = typeof partition === 'string' ? /^(\d+)%$/.exec(partition)?.[1] : undefined;
  if (percent === undefined) return undefined;
  return isAmong(Number(percent), name, requestId)
    ? `spec.updateStrategy.partition keeps ${partition} of new pods`
    : undefined;
}

type Content = Injectable & SetHashes;

/** Cached by object, a set or a revision: observed objects are immutable, and hashing takes most of the time of an injection. */
const contents = new WeakMap<KubeObject, Content>();

function contentOf(object: KubeObject, read: () => Content): Content {
  const content = contents.get(object) ?? read();
  contents.set(object, content);
  return content;
}

function presentContent(object: KubeObject): Content {
  const spec = objectOf(object['spec']);
  return { ...injectableOf(spec), ...setHashes(spec) };
}

function current(object: KubeObject, set: NormalSidecarSet, reason: string): InjectedRevision {
  return {
    set,
    ...contentOf(object, () => presentContent(object)),
    revision: newestOnRecord(object),
    reason,
  };
}

/** The hashes are those that the revision was written with, so that they equal those of pods that have it. */
function restored(
  set: NormalSidecarSet,
  revision: KubeObject,
  reason: string,
): InjectedRevision | { refused: string } {
  const { name } = revision.metadata;
  const stored = objectOf(revision['data'])['spec'];
  if (!isObject(stored)) return { refused: `the revision ${name} holds no spec` };
  const content = contentOf(revision, () => ({
    ...injectableOf(stored),
    ...revisionHashes(revision),
  }));
  return { set, ...content, revision: name, reason };
}
