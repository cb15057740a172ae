import type { EventDraft, PatchAction } from '../decision.ts';
import { containerStatus, withResourceVersion } from '../pod/in-place.ts';
import { SIDECAR_STATE_ANNOTATION } from '../pod/sidecar-changes.ts';
import { declaredImageOf } from '../pod/recreated.ts';
import type { Pod } from '../pod/types.ts';
import { listed } from '../values/listed.ts';
import { textOf } from '../values/read.ts';
import { timestamp } from '../values/timestamp.ts';
import type { HotPair } from './hot-pair.ts';
import { type PairChanges, resetOld, startUpgrade, takeBackNew } from './hot-upgrade.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { withUpdate, withWorking } from './pod-annotations.ts';
import { changeText, type RevisionRecord } from './pod-record.ts';
import { isWhole, mayHaveTaken, nameOf, restartsIn, type Unit } from './unit.ts';

/** A write of a pod, or why it cannot be written. */
export type PodWrite = PatchAction | { refused: string };

/**
 * The update of one pod in place (OpenKruise sidecarset, rule 6.9): images of the containers of a set, its annotations and
 * records in one write, bound to the version that it was decided on. Of a hot pair only the idle half changes here.
 *
 * @param to the revision that the pod gets
 * @param setVersion the resourceVersion of the set
 * @param reason why it is updated now
 */
export function updatePod(
  unit: Unit,
  to: InjectedRevision,
  setVersion: string | undefined,
  reason: string,
  now: number,
): PodWrite {
  const halves = startUpgrade(unit.pod, unit.hot.pairs, to.containers, setVersion);
  const from = Object.keys(halves.images).length > 0 ? unit.record : undefined;
  return toRevision(unit, to, halves, { verb: 'update in place', reason, from, now });
}

/**
 * Takes a pod back whose hot upgrade is not complete: the new half of each pair gets the empty image, every other container its
 * earlier image, and the records those of the earlier revision.
 *
 * @param to the revision that the pod was on before
 */
export function takeBackPod(unit: Unit, to: InjectedRevision, reason: string, now: number): PodWrite {
  const pairs = changingPairs(unit, to);
  const event: EventDraft = {
    type: 'Warning',
    reason: 'HotUpgradeTakenBack',
    message: `${namesOf(pairs, 'working')} of pod ${nameOf(unit.pod)} has the empty image again, and ${namesOf(pairs, 'other')} works on: ${reason}`,
  };
  const halves = takeBackNew(pairs);
  return toRevision(unit, to, halves, { verb: 'take back', reason, event, from: undefined, now });
}

/**
 * The end of the hot upgrade of one pod (OpenKruise sidecarset, rule 6.10): the old half of each pair gets the empty image.
 * The revision of the pod does not change.
 *
 * @param at the revision that the pod is on; undefined: it is not known
 */
export function resetPod(unit: Unit, set: string, at: InjectedRevision | undefined, now: number): PodWrite {
  const { pod, record } = unit;
  const pairs = changingPairs(unit, at);
  const halves = resetOld(pairs);
  const [works, old] = [namesOf(pairs, 'working'), namesOf(pairs, 'other')];
  return write(unit, set, pod.metadata.annotations ?? {}, {
    hash: record.hash,
    halves,
    images: halves.images,
    isReset: true,
    verb: 'reset',
    reason: `${works} has taken over from ${old}`,
    event: {
      type: 'Normal',
      reason: 'ResetContainerSucceed',
      message: `${old} of pod ${nameOf(pod)} has the empty image: ${works} has taken over`,
    },
    from: undefined,
    now,
  });
}

/** The pairs of a pod that change, with the empty image of its own revision: the set may have another one by now. */
function changingPairs({ hot }: Unit, at: InjectedRevision | undefined): HotPair[] {
  return hot.pairs
    .filter(({ isChanging }) => isChanging)
    .map((pair) => {
      const emptyImage = at?.containers.find(({ name }) => name === pair.name)?.emptyImage;
      return { ...pair, emptyImage: emptyImage ?? pair.emptyImage };
    });
}

function namesOf(pairs: readonly HotPair[], half: 'working' | 'other'): string {
  return listed(
    pairs.map((pair) => pair[half]),
    'and',
  );
}

interface Writing {
  verb: string;
  reason: string;
  event?: EventDraft;
  /** The record that the pod goes back to if its hot upgrade fails. */
  from: RevisionRecord | undefined;
  now: number;
}

function toRevision(unit: Unit, to: InjectedRevision, halves: PairChanges, writing: Writing): PodWrite {
  const { pod } = unit;
  const updated = withUpdate(pod.metadata.annotations ?? {}, to, timestamp(writing.now));
  if ('refused' in updated) return updated;
  const set = to.set.name;
  const images = { ...ordinaryImages(pod, to), ...halves.images };
  return write(unit, set, updated.annotations, { ...writing, hash: to.hash, halves, images });
}

/** One write of images, annotations and records. The restarts of all containers of the set are on record with it. */
function write(
  unit: Unit,
  set: string,
  annotations: Readonly<Record<string, string>>,
  {
    hash,
    halves,
    images,
    isReset = false,
    from,
    now,
    ...about
  }: Writing & {
    hash: string;
    halves: PairChanges;
    images: Readonly<Record<string, string>>;
    /** It ends a change: restarts of the containers that it leaves alone still count. */
    isReset?: boolean;
  },
): PodWrite {
  const { pod, names } = unit;
  const worked = withWorking(annotations, halves.working);
  if ('refused' in worked) return worked;
  const wanted: Record<string, string> = { ...worked.annotations, ...halves.versions };
  // A strategic merge patch puts the containers that it names into its own order, and no update may change theirs.
  const changed = pod.spec.containers.map((each) => each.name).filter((each) => Object.hasOwn(images, each));
  const restartsOf = (name: string): number => {
    const { restartCount = 0 } = containerStatus(pod, name) ?? {};
    return isReset && !changed.includes(name) ? restartCount - restartsIn(pod, set, name) : restartCount;
  };
  if (changed.length > 0)
    wanted[SIDECAR_STATE_ANNOTATION] = changeText(
      pod,
      { set, hash, time: timestamp(now) },
      Object.fromEntries(changed.map((name) => [name, imageBefore(unit, name)])),
      Object.fromEntries(names.map((name) => [name, restartsOf(name)])),
      // What an earlier change has taken out of service stays so with the next one, until the pod is ready.
      { from, wasUnready: isReset ? unit.wasUnready : !isWhole(unit) && !mayHaveTaken(unit) },
    );
  const { name, namespace, annotations: before = {} } = pod.metadata;
  const different = Object.entries(wanted).filter(([key, value]) => before[key] !== value);
  return {
    do: 'patch',
    kind: 'Pod',
    name,
    ...(namespace !== undefined && { namespace }),
    ...about,
    body: withResourceVersion(pod, {
      metadata: { annotations: Object.fromEntries(different) },
      ...(changed.length > 0 && {
        spec: { containers: changed.map((each) => ({ name: each, image: images[each] ?? '' })) },
      }),
    }),
  };
}

/**
 * The image that runs in a container before its change; '': it is not known. A new half that has not started yet may start until
 * the kubelet observes the change, so what its status says is no proof later.
 */
function imageBefore({ pod, hot }: Unit, name: string): string {
  const isPending = hot.pairs.some(
    ({ working, isChanging, hasStarted }) => working === name && isChanging && !hasStarted,
  );
  return isPending ? '' : (containerStatus(pod, name)?.imageID ?? '');
}

/** The images that differ, by container, but for those of hot pairs. Everything else in a container cannot change in place. */
function ordinaryImages(pod: Pod, { containers }: InjectedRevision): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, container, emptyImage } of containers) {
    const image = textOf(container['image']);
    const now = declaredImageOf(pod, name);
    if (emptyImage === undefined && now !== undefined && now !== image) found[name] = image;
  }
  return found;
}
