import { condition } from '../pod/readiness.ts';
import type { ContainerStatus, Pod } from '../pod/types.ts';
import { isObject } from '../values/json-shape.ts';
import { objectOf, textOf } from '../values/read.ts';
import { revisionOf } from '../revision/revision.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { areFew } from './namespaces.ts';
import type { Unit } from './unit.ts';
import { contentOf, type SidecarSetView } from './view.ts';

/** What a container waits for before anything of its own is tried. */
const BEFORE = new Set(['', 'ContainerCreating', 'PodInitializing']);
/** Volumes that no container waits for. */
const ALWAYS_THERE = ['emptyDir', 'downwardAPI'];

/**
 * Whether no container of a set could begin in a pod yet, for reasons that are none of the set: no node has it, its own init containers
 * are not done, or its volumes are not there. Nothing of a change can be seen in it, and no update takes anything from it.
 */
function hasNotBegun(view: SidecarSetView, unit: Unit): boolean {
  const { pod, names } = unit;
  if (pod.status?.phase !== 'Pending') return false;
  if (pod.spec.nodeName === undefined) return true;
  const own = pod.status.containerStatuses?.filter(({ name }) => names.includes(name)) ?? [];
  if (own.some(hasBeenTried)) return false;
  const revision = revisionOf(view, view.hashOf(unit));
  if (revision === undefined) return false;
  const content = contentOf(view, revision);
  return condition(pod, 'Initialized')?.status === 'False'
    ? waitsForItsOwn(pod, content)
    : content.volumes.every((volume) => ALWAYS_THERE.some((type) => volume[type] !== undefined));
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

/** Cached by view. */
const known = new WeakMap<SidecarSetView, ReadonlySet<Unit>>();

/**
 * The pods in which nothing has begun yet, as long as they are few: where most wait, the change or the cluster is why, and they count.
 *
 * @param among the pods that take part otherwise
 */
export function podsNotBegun(view: SidecarSetView, among: () => readonly Unit[]): ReadonlySet<Unit> {
  const before = known.get(view);
  if (before !== undefined) return before;
  let found = view.units.filter((unit) => hasNotBegun(view, unit));
  if (found.length > 0) {
    const units = among();
    const waiting = new Set(found);
    found = units.filter((unit) => waiting.has(unit));
    // Such pods cost nothing, so that they do not make a namespace larger.
    const others = units.filter((unit) => !waiting.has(unit));
    if (!areFew(others, found)) found = [];
  }
  const result = new Set(found);
  known.set(view, result);
  return result;
}
