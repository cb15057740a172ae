import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Commit } from '../../sandbox/store/history.ts';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import type { Stage } from '../runtime/stage.ts';
import { brokenBounds } from './bounds.ts';

/** What was done to pods, whoever did it. */
export interface Toll {
  created: number;
  deleted: number;
  /** Changes of a pod's revision or of its images in place. */
  updatedInPlace: number;
  /** Times a pod was taken out of traffic by its gate. */
  drained: number;
}

/** The store as its commits tell it, and what they broke. */
export interface Ledger {
  /** Live objects by `Kind/namespace/name`. */
  readonly objects: ReadonlyMap<string, KubeObject>;
  readonly toll: Readonly<Toll>;
  /** Bounds that a write of the runtime broke, in words. */
  readonly broken: readonly string[];
  /** When the runtime last wrote anything, milliseconds since 1970. */
  readonly lastWrite: number;
  pods(target?: string): Pod[];
  plan(name?: string): KubeObject | undefined;
  target(name?: string): KubeObject | undefined;
}

/** The name under which the runtime of a stage talks to the API. */
const RUNTIME = 'kruise';

/** Follows every commit of a stage's store from now on. `leniencyMs`: how old may be what the runtime decides on. */
export async function keepLedger(stage: Stage, leniencyMs: number): Promise<Ledger> {
  const objects = new Map<string, KubeObject>();
  for (const resource of [
    resources.Pod,
    resources.ControllerRevision,
    resources.CloneSet,
    resources.RolloutPlan,
  ]) {
    for (const object of (await stage.user.list(resource, { namespace: 'shop' })).items)
      objects.set(keyOf(object), object);
  }
  const toll: Toll = { created: 0, deleted: 0, updatedInPlace: 0, drained: 0 };
  const broken: string[] = [];
  const names = new Set([...objects.values()].filter((o) => o.kind === 'Pod').map((o) => o.metadata.name));
  const sizes = new Map<string, { at: number; replicas: number }[]>();
  const start = stage.clock.now();
  let lastWrite = start;

  /** Smallest and largest size the target had within the leniency. */
  function sizesOf(target: KubeObject, now: number): { least: number; most: number } {
    const present = (target['spec'] as { replicas: number }).replicas;
    const earlier = (sizes.get(target.metadata.uid ?? '') ?? [])
      .filter(({ at }) => now - at < leniencyMs)
      .map(({ replicas }) => replicas);
    return { least: Math.min(present, ...earlier), most: Math.max(present, ...earlier) };
  }

  stage.world.onCommit((commit) => {
    const { type, object, previous, user, at } = commit;
    if (type === 'DELETED') objects.delete(keyOf(object));
    else objects.set(keyOf(object), object);
    if (object.kind === 'CloneSet' && previous !== undefined) {
      const { replicas } = previous['spec'] as { replicas: number };
      const uid = object.metadata.uid ?? '';
      sizes.set(uid, [...(sizes.get(uid) ?? []), { at, replicas }]);
    }
    if (user === RUNTIME) lastWrite = at;
    if (object.kind !== 'Pod') return;
    count(toll, commit);
    if (user !== RUNTIME) return;
    const where = `at ${((at - start) / 1000).toFixed(1)} s: `;
    if (type === 'ADDED' && names.has(object.metadata.name))
      broken.push(`${where}the name ${object.metadata.name} is used again`);
    names.add(object.metadata.name);
    broken.push(
      ...brokenBounds(commit, objects, (target) => sizesOf(target, at)).map((text) => where + text),
    );
  });

  const of = (kind: string, name: string): KubeObject | undefined => objects.get(`${kind}/shop/${name}`);
  return {
    objects,
    toll,
    broken,
    get lastWrite() {
      return lastWrite;
    },
    pods: (target = 'web') =>
      ([...objects.values()] as Pod[])
        .filter((object) => object.kind === 'Pod' && object.metadata.labels?.['app'] === target)
        .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
    plan: (name = 'web') => of('RolloutPlan', `cloneset-${name}`),
    target: (name = 'web') => of('CloneSet', name),
  };
}

function count(toll: Toll, { type, object, previous }: Commit): void {
  if (type === 'ADDED') {
    toll.created += 1;
    return;
  }
  const [before, now] = [previous as Pod, object as Pod];
  if (type === 'DELETED' || now.metadata.deletionTimestamp !== undefined) {
    if (before.metadata.deletionTimestamp === undefined) toll.deleted += 1;
    return;
  }
  if (side(before) !== side(now)) toll.updatedInPlace += 1;
  if (!isDrained(before) && isDrained(now)) toll.drained += 1;
}

function side(pod: Pod): string {
  return [pod.metadata.labels?.[REVISION_LABEL], ...pod.spec.containers.map(({ image }) => image)].join(' ');
}

function isDrained(pod: Pod): boolean {
  return (
    pod.status?.conditions?.some((c) => c.type === 'InPlaceUpdateReady' && c.status === 'False') ?? false
  );
}

function keyOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}
