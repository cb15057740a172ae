import type { RolloutPlanStatus } from '../../schemas/generated/types/rolloutplan.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';
import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isSnapshot, parseSnapshot } from '../../semantics/plan/memory.ts';
import { LIFECYCLE_LABEL, type Pod } from '../../semantics/pod/types.ts';
import { planResources, type Setup } from './subject.ts';

/**
 * The end state of a rollout, without what depends on time: timestamps, uids, versions, and the clocks in the records. Two
 * plays of one world must be equal here.
 */
export async function endingOf({ subject, user }: Pick<Setup, 'subject' | 'user'>) {
  const all = async (resource: Resource): Promise<KubeObject[]> => (await user.list(resource)).items;
  const { plan, command } = planResources(subject.kind);
  const revisions = await all(resources.ControllerRevision);
  return {
    pods: ((await all(resources.Pod)) as Pod[]).map(podEnd),
    claims: (await all(resources.PersistentVolumeClaim)).map(({ metadata }) => ({
      name: metadata.name,
      // Its end is the version of the pod.
      goesWith: metadata.annotations?.['plan.kruise.io/goes-with']?.replace(/ v\d+$/, ''),
      going: metadata.deletionTimestamp !== undefined,
    })),
    revisions: revisions
      .filter((object) => !isSnapshot(object))
      .map(({ metadata, revision, data }) => ({
        name: metadata.name,
        labels: metadata.labels,
        stable: metadata.annotations?.['plan.kruise.io/complete'],
        held: metadata.annotations?.['plan.kruise.io/held'],
        podsCreated: metadata.annotations?.['plan.kruise.io/pods-created'],
        revision,
        data,
      })),
    memory: revisions.filter((object) => isSnapshot(object)).map(snapshotEnd),
    plans: (await all(plan)).map(({ metadata, status }) => {
      const shown = (status ?? {}) as RolloutPlanStatus;
      return { name: metadata.name, ...shown, conditions: texts(shown.conditions) };
    }),
    targets: (await all(subject.kind.resource)).map(({ metadata, status }) => {
      const shown = (status ?? {}) as { conditions?: Condition[] };
      return { name: metadata.name, ...shown, conditions: texts(shown.conditions) };
    }),
    // The message of a command depends on which runtime executed it; its result does not.
    commands: (await all(command)).map(({ status }) => (status as { result?: string } | undefined)?.result),
  };
}

export type Ending = Awaited<ReturnType<typeof endingOf>>;

/**
 * The part of an end state that must be equal even if several runtimes raced, or requests failed. It excludes the number of
 * records, skipped names, and restarts of containers.
 */
export function essenceOf({ pods, claims, revisions, plans, targets, commands }: Ending) {
  return {
    pods: pods
      .map(({ name, labels, containers, phase, conditions, running }) => {
        const { 'apps.kruise.io/cloneset-instance-id': _, ...rest } = labels ?? {};
        // Containers that start in an order name the ConfigMap of their pod.
        const nameless = JSON.stringify(containers).replaceAll(`"${name}-`, '"POD-');
        // A pod that was updated in place for a moment has it, and means what one without it does.
        rest[LIFECYCLE_LABEL] ??= 'Normal';
        return { labels: rest, containers: nameless, phase, conditions, running };
      })
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    // Each pod has one claim, and there are no others. The ids depend on skipped names.
    claims: claims.map(({ goesWith, going }) => ({ goesWith, going })),
    revisions: revisions.map(({ name, stable, held, data }) => ({ name, stable, held, data })),
    plans: plans.map(({ name, phase, step, digest, updated }) => ({ name, phase, step, digest, updated })),
    targets: targets.map(({ conditions, ...counts }) => ({
      ...counts,
      conditions: conditions.map((text) => text.split(' · ').slice(0, 3).join(' · ')),
    })),
    commands,
  };
}

function podEnd({ metadata, spec, status }: Pod) {
  const conditions = status?.conditions?.map(({ type, status: is }) => `${type}=${is}`).sort();
  return {
    name: metadata.name,
    labels: metadata.labels,
    number: metadata.annotations?.['plan.kruise.io/pod-number'],
    containers: spec.containers,
    phase: status?.phase,
    conditions,
    restarts: status?.containerStatuses?.map(({ restartCount }) => restartCount),
    running: status?.containerStatuses?.map(({ image }) => image),
  };
}

function snapshotEnd(object: KubeObject) {
  const known = parseSnapshot(object);
  if (known === undefined) return { name: object.metadata.name, unreadable: true };
  const { seq, phase, step, cause, reason, message, goal, frozenN, approved } = known.progress;
  return { name: known.name, seq, phase, step, cause, reason, message, goal, frozenN, approved };
}

/** Conditions as texts without times, for readable differences. */
function texts(
  conditions: readonly Pick<Condition, 'type' | 'status' | 'reason' | 'message'>[] = [],
): string[] {
  return conditions.map(({ type, status, reason, message }) =>
    [type, status, reason ?? '', message ?? ''].join(' · '),
  );
}
