import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { loweringTo, type RowOf } from '../kinds/lowering.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { numberOf, objectOf } from '../values/read.ts';
import {
  hooksRow,
  inPlaceRow,
  launchOrderRow,
  plainFields,
  plainMetadata,
  plainTemplateAlways,
  preDownloadRow,
  requiredRow,
} from '../workload/plain.ts';
import { mostUnavailable } from './limits.ts';
import { normalizeCloneSet, type NormalCloneSet } from './normalize.ts';

/** What Kubernetes has for "no deadline". */
const NO_DEADLINE = 2147483647;
/** Percentages as Kubernetes accepts them. */
const PERCENT = /^[0-9]{1,3}%$/;

interface Read extends NormalCloneSet {
  object: KubeObject;
  /** Replicas as written; undefined: something else than git decides. */
  written: number | undefined;
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'partition',
    instead: 'a Deployment would update the pods that are to stay',
    applies: ({ partition }) => scaleIntOrPercent(partition, 100, 'up') !== 0,
  },
  {
    what: 'updateStrategy.type OnDelete',
    instead: 'a Deployment would update every pod',
    applies: ({ type }) => type === 'OnDelete',
  },
  {
    what: 'volumeClaimTemplates',
    instead: 'a Deployment has no claims of its own, so their data would be lost',
    applies: ({ volumeClaimTemplates }) => volumeClaimTemplates.length > 0,
  },
  {
    what: 'paused',
    instead: 'a Deployment that is created so has no pods',
    applies: ({ paused }) => paused,
  },
  hooksRow,
  {
    what: 'scaleStrategy.podsToDelete',
    instead: 'a Deployment chooses other pods',
    applies: ({ podsToDelete }) => podsToDelete.length > 0,
  },
  {
    what: 'maxUnavailable and maxSurge 0',
    instead: 'no pod is updated; Kubernetes refuses that',
    applies: ({ maxUnavailable, maxSurge }) => isZero(maxUnavailable) && isZero(maxSurge),
  },
  {
    what: 'limits that are no whole percentages, without replicas',
    instead: 'Kubernetes refuses them',
    applies: ({ maxUnavailable, maxSurge, written }) =>
      written === undefined &&
      [maxUnavailable, maxSurge].some((each) => typeof each === 'string' && !PERCENT.test(each)),
  },
  {
    what: 'progressDeadlineSeconds that minReadySeconds exceed',
    instead: 'Kubernetes refuses that',
    applies: ({ progressDeadlineSeconds = NO_DEADLINE, minReadySeconds }) =>
      progressDeadlineSeconds <= minReadySeconds,
  },
];

const losses: readonly Row[] = [
  requiredRow,
  inPlaceRow,
  {
    what: 'priorityStrategy and scatterStrategy',
    instead: 'pods are updated in no order',
    applies: ({ priorities, scatter }) => priorities !== undefined || scatter.length > 0,
  },
  {
    what: 'scaleStrategy.maxUnavailable',
    instead: 'missing pods are created at once',
    applies: ({ scaleMaxUnavailable }) => scaleMaxUnavailable !== undefined,
  },
  {
    what: 'maxUnavailable in percent without maxSurge, where git has no replicas',
    instead: 'it is rounded down, and is at least 1',
    applies: ({ maxUnavailable, maxSurge, written }) =>
      typeof maxUnavailable === 'string' && isZero(maxSurge) && written === undefined,
  },
  {
    what: 'topologySpreadConstraints',
    instead: 'scale-in keeps pods spread over nodes alone',
    applies: ({ spreadOver }) => spreadOver.length > 0,
  },
  launchOrderRow,
  preDownloadRow,
];

/** A CloneSet as a Deployment (OpenKruise cloneset, section 12). */
export const cloneSetLowering = loweringTo<Read>({
  to: { apiVersion: 'apps/v1', kind: 'Deployment' },
  stays,
  losses,
  differs: [
    'pods belong to a ReplicaSet, whose hash is in their names',
    'the annotation controller.kubernetes.io/pod-deletion-cost counts at scale-in alone',
  ],
  read: (object) => ({
    ...normalizeCloneSet(object),
    object,
    written: numberOf(objectOf(object['spec'])['replicas']),
  }),
  lower(object, read) {
    const { selector, template, minReadySeconds, progressDeadlineSeconds } = read;
    const { revisionHistoryLimit } = objectOf(object['spec']);
    return {
      metadata: plainMetadata(object),
      spec: plainFields({
        replicas: read.written,
        selector: selector as JsonObject,
        minReadySeconds: minReadySeconds === 0 ? undefined : minReadySeconds,
        progressDeadlineSeconds: progressDeadlineSeconds ?? NO_DEADLINE,
        revisionHistoryLimit,
        strategy: { type: 'RollingUpdate', rollingUpdate: limitsOf(read) },
        template: plainTemplateAlways(template),
      }),
    };
  },
});

function isZero(limit: IntOrPercent): boolean {
  return scaleIntOrPercent(limit, 100, 'up') === 0;
}

/** A Deployment rounds maxUnavailable down always, so that a number stands for a percentage that is rounded up. */
function limitsOf(read: Read): JsonObject {
  const { maxUnavailable, maxSurge, written } = read;
  if (written === undefined) return { maxUnavailable, maxSurge };
  const isPlain = [maxUnavailable, maxSurge].every((each) => typeof each === 'number' || PERCENT.test(each));
  if (isPlain && !isZero(maxSurge)) return { maxUnavailable, maxSurge };
  const surge = scaleIntOrPercent(maxSurge, written, 'up');
  const least = surge === 0 ? 1 : 0;
  return {
    maxUnavailable: Math.max(mostUnavailable(read, { replicas: written, paused: false }), least),
    maxSurge: surge,
  };
}
