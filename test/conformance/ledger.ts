import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { type Commit, serviceAccount } from 'kruise-sandbox';
import { type Pod, REVISION_LABEL } from '../../semantics/pod/types.ts';
import { pulls } from './serving.ts';
import {
  type Ledger,
  NAME,
  locationOf,
  planResources,
  type Setup,
  type Sizes,
  type PodChanges,
} from './subject.ts';

/** The user name of a runtime in the sandbox … */
export const RUNTIME = 'kruise';
/** … and its account where roles apply. */
export const ACCOUNT = serviceAccount('kruise-system', 'kruise-runtime');

/**
 * Follows every commit of a store from now on.
 *
 * @param leniencyMs milliseconds by which the data of a decision may be old
 * @param reusesNames a successor may have the name of a pod
 */
export async function keepLedger(
  { subject, sandbox, clock, user }: Pick<Setup, 'subject' | 'sandbox' | 'clock' | 'user'>,
  { leniencyMs, reusesNames = subject.reusesNames === true }: { leniencyMs: number; reusesNames?: boolean },
): Promise<Ledger> {
  const { resource } = subject.kind;
  const { plan } = planResources(subject.kind);
  const objects = new Map<string, KubeObject>();
  for (const each of [resources.Pod, resources.ControllerRevision, resources.Node, resource, plan])
    for (const object of (await user.list(each)).items) objects.set(keyOf(object), object);
  const podChanges: PodChanges = { created: 0, deleted: 0, updatedInPlace: 0, drained: 0, pulled: 0 };
  const broken: string[] = [];
  const sizes = new Map<string, { at: number; size: number }[]>();
  const start = clock.now();
  let lastWrite = start;

  const all = (kind: string): KubeObject[] => [...objects.values()].filter((object) => object.kind === kind);
  const names = new Set(all('Pod').map(({ metadata }) => metadata.name));
  const sizeOf = (target: KubeObject): number => subject.sizeOf(target, all('Node').length);

  /** The smallest and largest size of the target within the leniency. */
  function sizesOf(target: KubeObject, now: number): Sizes {
    const present = sizeOf(target);
    const earlier = (sizes.get(target.metadata.uid ?? '') ?? [])
      .filter(({ at }) => now - at < leniencyMs)
      .map(({ size }) => size);
    return { least: Math.min(present, ...earlier), most: Math.max(present, ...earlier) };
  }

  sandbox.onCommit((commit) => {
    const { type, object, user: by, at } = commit;
    const isNode = object.kind === 'Node' && type !== 'MODIFIED';
    if (object.kind === resource.kind || isNode) {
      for (const target of all(resource.kind)) {
        const { uid = '' } = target.metadata;
        sizes.set(uid, [...(sizes.get(uid) ?? []), { at, size: sizeOf(target) }]);
      }
    }
    if (type === 'DELETED') objects.delete(keyOf(object));
    else objects.set(keyOf(object), object);
    if (object.kind === 'Pod') count(podChanges, commit);
    if (by !== RUNTIME && by !== ACCOUNT.name) return;
    lastWrite = at;
    const where = `at ${((at - start) / 1000).toFixed(1)} s: `;
    // A runtime that does not know of the end of a pull repeats one: that costs a pod which ends at once.
    const isLate = leniencyMs > 0 && pulls(object as Pod);
    if (
      object.kind === 'Pod' &&
      type === 'ADDED' &&
      !reusesNames &&
      !isLate &&
      names.has(object.metadata.name)
    )
      broken.push(`${where}the name ${object.metadata.name} is used again`);
    if (object.kind === 'Pod') names.add(object.metadata.name);
    const leniency = { leniencyMs, sizesOf: (target: KubeObject) => sizesOf(target, at) };
    const bounds = subject.brokenBounds(commit, objects, leniency);
    broken.push(...bounds.map((text) => where + text));
  });

  const target = (): KubeObject | undefined =>
    objects.get(keyOf({ kind: resource.kind, metadata: locationOf(resource) }));
  return {
    objects,
    podChanges,
    broken,
    get lastWrite() {
      return lastWrite;
    },
    pods: () => all('Pod') as Pod[],
    units() {
      const here = target();
      return here === undefined ? [] : subject.units(objects, here).sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    plan: () =>
      [...objects.values()].find(
        (object) =>
          object.kind === plan.kind &&
          (object['spec'] as { target?: { kind?: string; name?: string } }).target?.name === NAME &&
          (object['spec'] as { target: { kind: string } }).target.kind === resource.kind,
      ),
    target,
  };
}

function count(podChanges: PodChanges, { type, object, previous }: Commit): void {
  if (pulls(object as Pod)) {
    if (type === 'ADDED') podChanges.pulled += 1;
    return;
  }
  if (type === 'ADDED') {
    podChanges.created += 1;
    return;
  }
  const [before, now] = [previous as Pod, object as Pod];
  if (type === 'DELETED' || now.metadata.deletionTimestamp !== undefined) {
    if (before.metadata.deletionTimestamp === undefined) podChanges.deleted += 1;
    return;
  }
  if (side(before) !== side(now)) podChanges.updatedInPlace += 1;
  if (!isDrained(before) && isDrained(now)) podChanges.drained += 1;
}

function side(pod: Pod): string {
  return [pod.metadata.labels?.[REVISION_LABEL], ...pod.spec.containers.map(({ image }) => image)].join(' ');
}

function isDrained(pod: Pod): boolean {
  return (
    pod.status?.conditions?.some((c) => c.type === 'InPlaceUpdateReady' && c.status === 'False') ?? false
  );
}

function keyOf({ kind, metadata: { namespace, name } }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  return `${kind}/${namespace ?? ''}/${name}`;
}
