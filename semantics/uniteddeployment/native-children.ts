import type { Resource } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { ChildCounts } from '../children/share-rows.ts';
import { noHooks } from '../lifecycle/hooks.ts';
import { limitAt, type Limits, noLimits, type Window } from '../limits/window.ts';
import type { FailingPods } from '../plan/units.ts';
import { REVISION_LABEL, SHORT_HASH_LABEL } from '../pod/types.ts';
import { withoutPullPolicyByTag } from '../template/canonical.ts';
import { isZeroLimit } from '../values/int-or-percent.ts';
import { listOf, numberOf, objectOf, textOf } from '../values/read.ts';
import { invalidWorkloadFields } from '../workload/invalid.ts';
import type { ChildKind } from './child-kind.ts';
import { nativeGit } from './native-git.ts';
import { ownedPods, podsOfDeployment } from './pods-of-child.ts';

const deployment: Resource = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const statefulSet: Resource = { ...deployment, kind: 'StatefulSet', plural: 'statefulsets' };

/** What both have in common: a controller of Kubernetes updates their pods, once their template is another one. */
const native: Pick<
  ChildKind,
  'component' | 'steps' | 'limits' | 'settings' | 'invalid' | 'counts' | 'unfilled'
> = {
  component: 'native-workloads',
  steps: 'whole',
  limits: { ...noLimits, inUnits: inPods },
  settings: (child) => {
    const { paused, minReadySeconds, progressDeadlineSeconds } = objectOf(child['spec']);
    return {
      policy: 'ReCreate',
      paused: paused === true,
      minReadySeconds: numberOf(minReadySeconds) ?? 0,
      progressDeadlineSeconds: numberOf(progressDeadlineSeconds),
    };
  },
  invalid: (child) => {
    const { selector, template, volumeClaimTemplates } = objectOf(child['spec']);
    return invalidWorkloadFields({
      selector: objectOf(selector),
      template: objectOf(template),
      volumeClaimTemplates: listOf(volumeClaimTemplates),
      lifecycle: noHooks,
    });
  },
  counts: countsOf,
  unfilled(template, written) {
    const [spec, other] = [objectOf(template['spec']), objectOf(written?.['spec'])];
    const lists = ['initContainers', 'containers'].filter((list) => spec[list] !== undefined);
    const containers = lists.map((list) => {
      const kept = new Set(
        listOf(other[list])
          .filter(hasPolicy)
          .map(({ name }: JsonObject) => name),
      );
      const each = (item: JsonObject): JsonObject =>
        kept.has(item['name']) ? item : withoutPullPolicyByTag(item, 'image', POLICY);
      return [list, listOf(spec[list]).map(each)];
    });
    return { ...template, spec: { ...spec, ...Object.fromEntries(containers) } };
  },
};

const POLICY = 'imagePullPolicy';

function hasPolicy(container: JsonObject): boolean {
  return container[POLICY] !== undefined;
}

/** Deployments of Kubernetes. */
export const deployments: ChildKind = {
  ...native,
  field: 'deploymentTemplate',
  resource: deployment,
  git: nativeGit(deploymentStrategy, []),
  strategy: (child) => ({ is: objectOf(child['spec'])['paused'] === true ? 'paused' : 'active' }),
  failing: pastDeadline,
  podsOf: podsOfDeployment,
  revisionLabel: SHORT_HASH_LABEL,
  spec: (template) => ({
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
    ...withoutZeros(template),
    strategy: deploymentStrategy(template),
  }),
  filledIn: [],
  writtenOnce: [],
};

/** StatefulSets of Kubernetes. */
export const nativeSets: ChildKind = {
  ...native,
  field: 'statefulSetTemplate',
  resource: statefulSet,
  git: nativeGit(() => ({ rollingUpdate: { maxUnavailable: 1 } }), ['serviceName', 'podManagementPolicy']),
  strategy: () => ({ is: 'active' }),
  failing: () => undefined,
  podsOf: ownedPods,
  revisionLabel: REVISION_LABEL,
  spec: (template, partition) => ({
    podManagementPolicy: 'OrderedReady',
    revisionHistoryLimit: 10,
    ...withoutZeros(template),
    updateStrategy: setStrategy(objectOf(template['updateStrategy']), partition),
  }),
  filledIn: [
    ['persistentVolumeClaimRetentionPolicy'],
    ['serviceName'],
    ['updateStrategy', 'rollingUpdate', 'maxUnavailable'],
  ],
  // The server fills in fields of each, and lets none change.
  writtenOnce: ['volumeClaimTemplates'],
};

/** Fields that the server leaves out where they are 0 or false. Others, as `revisionHistoryLimit`, say something with 0. */
const ABSENT_IF_ZERO = ['minReadySeconds', 'paused'];

/** A spec as the server has it. */
function withoutZeros(template: JsonObject): JsonObject {
  const isAbsent = ([field, value]: [string, unknown]): boolean =>
    ABSENT_IF_ZERO.includes(field) && (value === 0 || value === false);
  return Object.fromEntries(Object.entries(template).filter((entry) => !isAbsent(entry)));
}

function deploymentStrategy({ strategy }: JsonObject): JsonObject {
  const { type, rollingUpdate } = objectOf(strategy);
  if (type === 'Recreate') return { type };
  return {
    type: 'RollingUpdate',
    rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%', ...objectOf(rollingUpdate) },
  };
}

function setStrategy({ type, rollingUpdate }: JsonObject, partition: number): JsonObject {
  return type === 'OnDelete'
    ? { type }
    : { type: 'RollingUpdate', rollingUpdate: { ...objectOf(rollingUpdate), partition } };
}

/**
 * How many pods of one child change at a time, as Kubernetes rounds it: those that are unavailable down, the extra ones up, and not both
 * to none. The server refuses what is written as none.
 */
function inPods({ maxUnavailable, maxSurge }: Window, pods: number): Limits {
  if (maxUnavailable === undefined) return {};
  const down = limitAt(maxUnavailable, pods, 'down');
  const extra = maxSurge === undefined ? { count: 0 } : limitAt(maxSurge, pods, 'up');
  const isStuck = down.count === 0 && extra.count === 0 && !isZeroLimit(maxUnavailable);
  return {
    maxUnavailable: isStuck ? { count: 1 } : down,
    ...(maxSurge !== undefined && { maxSurge: extra }),
  };
}

/** A status does not say how many of the updated pods are available: as many as there are, if all others are. */
function countsOf({ status }: KubeObject): Omit<ChildCounts, 'pods'> {
  const own = objectOf(status);
  const count = (field: string): number => numberOf(own[field]) ?? 0;
  const [available, updated] = [count('availableReplicas'), count('updatedReplicas')];
  const others = Math.max(count('replicas') - updated, 0);
  return { available, updated, updatedAvailable: Math.max(available - others, 0) };
}

/** A Deployment that has made no progress for its deadline. */
function pastDeadline(child: KubeObject): FailingPods | undefined {
  const conditions: readonly JsonObject[] = listOf(objectOf(child['status'])['conditions']);
  const found = conditions.find(({ type, status }) => type === 'Progressing' && status === 'False');
  if (found === undefined) return undefined;
  const { updated, updatedAvailable } = countsOf(child);
  return {
    pods: Math.max(updated - updatedAvailable, 1),
    message: `it has made no progress: ${textOf(found['message']) || 'its deadline has passed'}`,
  };
}
