import { condition } from '../pod/readiness.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf, textOf } from '../values/read.ts';
import { revisionOf } from '../revision/revision.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { areFew } from './namespaces.ts';
import { mayNotFit } from './scheduling.ts';
import type { Unit } from './unit.ts';
import { contentOf, type SidecarSetView } from './view.ts';

/** What a container waits for before anything of its own is tried. */
const BEFORE = new Set(['', 'ContainerCreating', 'PodInitializing']);
/** Volumes that no container waits for. */
const ALWAYS_THERE = ['emptyDir', 'downwardAPI'];

/**
 * Whether no container of a set could begin in a pod yet, for reasons that are none of the set: no node has it, its own init containers
 * are not done, or its volumes are not there. Nothing of a change can be seen in it, and no update takes anything from it. Where the change
 * may be why no node has room for it, it counts.
 */
function hasNotBegun(view: SidecarSetView, unit: Unit): boolean {
  const { pod, names } = unit;
  if (pod.status?.phase !== 'Pending') return false;
  if (pod.spec.nodeName === undefined)
    return isGated(pod) || view.hashOf(unit) !== view.liveHash || !mayNotFit(view);
  const own = pod.status.containerStatuses?.filter(({ name }) => names.includes(name)) ?? [];
  if (own.some(hasBeenTried)) return false;
  const revision = revisionOf(view, view.hashOf(unit));
  if (revision === undefined) return false;
  const content = contentOf(view, revision);
  return condition(pod, 'Initialized')?.status === 'False'
    ? waitsForItsOwn(pod, content)
    : content.volumes.every((volume) => ALWAYS_THERE.some((type) => volume[type] !== undefined));
}

/** Whether no scheduler looks for a node yet, as the owner of the pod asks for. */
function isGated(pod: Pod): boolean {
  return condition(pod, 'PodScheduled')?.reason === 'SchedulingGated';
}

function hasBeenTried({ restartCount = 0, state, lastState }: ContainerStatus): boolean {
  const { waiting } = objectOf(state);
  const reason = isObject(waiting) ? textOf(waiting['reason']) : undefined;
  return (
    restartCount > 0 || objectOf(lastState)['terminated'] !== undefined || !BEFORE.has(reason ?? 'Began')
  );
}

/** Whether a pod waits for init containers of its own: the set has none, or others fail. Of those that just run nothing is known. */
function waitsForItsOwn({ status }: Pod, { initContainers }: InjectedRevision): boolean {
  if (initContainers.length === 0) return true;
  const failing = status?.initContainerStatuses?.filter(({ state }) => state !== undefined) ?? [];
  return failing.length > 0 && !failing.some(({ name }) => initContainers.some((each) => each.name === name));
}

/**
 * The pods in which nothing has begun yet, as long as they are few by the namespaces of those that have: where these wait in several, or in
 * the largest, they count. Of all pods they may be most: they cost nothing, so that one tenant can create any number.
 *
 * @param among the pods that take part otherwise
 */
export function podsNotBegun(view: SidecarSetView, among: () => readonly Unit[]): ReadonlySet<Unit> {
  let found = view.units.filter((unit) => hasNotBegun(view, unit));
  if (found.length > 0) {
    const units = among();
    const waiting = new Set(found);
    found = units.filter((unit) => waiting.has(unit));
    // Such pods cost nothing, so that they do not make a namespace larger.
    const others = units.filter((unit) => !waiting.has(unit));
    if (!areFew(others, found)) found = [];
  }
  return new Set(found);
}
