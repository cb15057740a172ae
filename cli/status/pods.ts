import type { JsonObject } from '../../schemas/wire/json.ts';
import { containersOf } from '../../compiler/forecast/images.ts';
import { byText } from '../../compiler/text/order.ts';
import { podTemplateOf } from '../../semantics/kinds/git-side.ts';
import { namedUnits, ownedPods } from '../../semantics/kinds/git-units.ts';
import { type Lifecycle, noHooks } from '../../semantics/lifecycle/hooks.ts';
import { hookWait } from '../../semantics/lifecycle/wait.ts';
import { failureOf } from '../../semantics/pod/failure.ts';
import { locationOf } from '../../semantics/pod/location.ts';
import { condition, isAvailable, isReady } from '../../semantics/pod/readiness.ts';
import { declaredImage } from '../../semantics/pod/recreated.ts';
import { REVISION_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { podsOf, type StatusObjects, type TargetStatus } from './read.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { kindOfTarget } from './target-kind.ts';

/** A pod of the target. */
export interface PodStatus {
  name: string;
  revision: string;
  /**
   * The pod's revision: that of the manifest, the stable one, or another one. Where the status names no stable one, all others count
   * as that. A pod that runs once has none.
   */
  is: 'updated' | 'old' | 'other' | 'run';
  available: boolean;
  state: string;
  restarts: number;
  created: string;
  /** The images that it runs in place of those of the manifest; omitted: none, or it runs once. */
  images?: readonly string[];
}

/**
 * The pods of a target: those that are not available first, then the newest. Pods that the kind numbers come by ordinal: they
 * are updated in that order, and keep their names.
 */
export function podStatuses(status: TargetStatus, objects: StatusObjects, now: number): PodStatus[] {
  const { object } = status;
  if (object === undefined) return [];
  const kind = kindOfTarget(object);
  if (kind.shape === 'Standing') return [];
  const { facts, git, shape } = kind;
  const manifest = git.read(object);
  const { units } = manifest;
  const wanted = new Map(
    containersOf(podTemplateOf(manifest) ?? {}).map(({ name, image }) => [name, image] as const),
  );
  const { lifecycle = noHooks, minReadySeconds = 0 } = ownedPods(units) ?? {};
  const revisions = facts.status.revisions(objectOf(object['status']));
  const update = shortRevision(revisions.update);
  const current = shortRevision(revisions.stable);
  const isNumbered = namedUnits(units) !== undefined;
  const isRun = shape === 'Run';
  return podsOf(status, objects.pods)
    .map((pod): PodStatus => {
      const revision = shortRevision(pod.metadata.labels?.[REVISION_LABEL]);
      const restarts = (pod.status?.containerStatuses ?? [])
        .map(({ restartCount = 0 }) => restartCount)
        .reduce((sum, count) => sum + count, 0);
      const created = pod.metadata.creationTimestamp ?? '';
      const known = { name: pod.metadata.name, revision, restarts, created };
      if (isRun)
        return { ...known, is: 'run', available: failureOf(pod) === undefined, state: outcomeOf(pod) };
      const available = isAvailable(pod, minReadySeconds, now);
      const isOld = revision === current || (current === '' && update !== '');
      const is = revision === update ? 'updated' : isOld ? 'old' : 'other';
      return {
        ...known,
        is,
        available,
        state: available ? 'available' : whyNotAvailable(pod, lifecycle),
        ...(is === 'updated' ? {} : imagesBefore(pod, wanted)),
      };
    })
    .sort(
      (a, b) =>
        Number(a.available) - Number(b.available) ||
        // Names of one target differ by their numbers alone: the longer one has the higher number.
        (isNumbered ? a.name.length - b.name.length : byText(b.created, a.created)) ||
        byText(a.name, b.name),
    );
}

/** The images of containers that the manifest has with another one. What others add to a pod is no part of that. */
function imagesBefore(pod: Pod, wanted: ReadonlyMap<string, string | undefined>): Pick<PodStatus, 'images'> {
  // What was only spelled anew, to restart it, is the same image.
  const containers = pod.spec.containers.map((each) => ({ ...each, image: declaredImage(pod, each) }));
  const spec = { ...pod.spec, containers };
  const images = containersOf({ spec } as unknown as JsonObject).flatMap(({ name, image }) =>
    image === undefined || !wanted.has(name) || wanted.get(name) === image ? [] : [image],
  );
  return images.length === 0 ? {} : { images: [...new Set(images)] };
}

/** The hash in a revision's name. */
function shortRevision(name = ''): string {
  return name.slice(name.lastIndexOf('-') + 1);
}

/** What became of a pod that runs once, and where. */
function outcomeOf(pod: Pod): string {
  const { nodeName } = pod.spec;
  const where = nodeName === undefined ? '' : ` on ${nodeName}`;
  const failure = failureOf(pod);
  if (failure !== undefined) return `failed${where}: ${failure}`;
  return `${(pod.status?.phase ?? 'Pending').toLowerCase()}${where}`;
}

/** A finalizer keeps a pod whose containers have ended, whatever hook it belongs to. */
function deletionOf({ metadata: { finalizers = [] } }: Pod): string {
  if (finalizers.length === 0) return 'is being deleted';
  const noun = finalizers.length === 1 ? 'finalizer' : 'finalizers';
  return `is being deleted, and stays while it has ${noun} ${finalizers.join(', ')}`;
}

function whyNotAvailable(pod: Pod, lifecycle: Lifecycle): string {
  if (pod.metadata.deletionTimestamp !== undefined) return deletionOf(pod);
  const hook = hookWait(lifecycle, pod);
  if (hook !== undefined) return hook;
  const { unschedulable, problem } = locationOf(pod);
  if (unschedulable !== undefined) return `unschedulable: ${unschedulable}`;
  if (problem !== undefined) return `not available: ${problem}`;
  if (isReady(pod)) return 'ready, not yet available';
  const gate = pod.spec.readinessGates?.find(
    ({ conditionType }) => condition(pod, conditionType)?.status !== 'True',
  );
  if (gate !== undefined) return `not ready: ${gate.conditionType} is not True`;
  const { reason, message } = condition(pod, 'Ready') ?? {};
  const why = message ?? reason;
  return `${pod.status?.phase ?? 'Pending'}, not ready${why === undefined ? '' : `: ${why}`}`;
}

/** How many pods are of which revision, and how many are not available; of pods that run once, how many have failed. */
export function countsOf(pods: readonly PodStatus[]): string {
  if (pods.some(({ is }) => is === 'run')) {
    const failed = pods.filter(({ available }) => !available).length;
    return `${pods.length}${failed === 0 ? '' : `, ${failed} failed`}`;
  }
  const kinds = ['updated', 'old', 'other'] as const;
  const counts = kinds
    .map((kind) => [pods.filter(({ is }) => is === kind).length, kind] as const)
    .filter(([count]) => count > 0)
    .map(([count, kind]) => `${count} ${kind}`);
  const broken = pods.filter(({ available }) => !available).length;
  return [...counts, ...(broken === 0 ? [] : [`${broken} not available`])].join(', ');
}
