import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { loweringTo, type RowOf, type Neighbors } from '../kinds/lowering.ts';
import { atMostAll, type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { objectOf } from '../values/read.ts';
import {
  hooksRow,
  inPlaceRow,
  launchOrderRow,
  nativeOrderRow,
  orderedTemplate,
  plainFields,
  plainMetadata,
  plainTemplate,
  preDownloadRow,
  requiredRow,
  WHOLE_PERCENT,
} from '../workload/plain.ts';
import { isSet, normalizeDaemonSet } from './normalize.ts';
import type { NormalDaemonSet } from './spec.ts';

/** How many pods kube-controller-manager creates or deletes at once. */
const BURST = 250;

interface Read extends NormalDaemonSet, Neighbors {
  object: KubeObject;
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'partition',
    instead: 'Kubernetes would update the nodes that are to stay',
    applies: ({ partition }) => scaleIntOrPercent(partition, 100, 'up') !== 0,
  },
  {
    what: 'rollingUpdate.selector',
    instead: 'Kubernetes would update every node',
    applies: ({ nodeSelector }) => nodeSelector !== undefined,
  },
  {
    what: 'paused with Surging',
    instead: 'pods that are there twice would be deleted',
    applies: ({ paused, strategy }) => paused && strategy.type === 'Surging',
  },
  {
    what: 'a partition for new pods',
    instead: 'Kubernetes would create a pod on every node',
    applies: ({ partitionedScaling }) => partitionedScaling,
  },
  hooksRow,
  {
    what: 'limits that are no whole percentages',
    instead: 'Kubernetes refuses them',
    applies: ({ strategy }) => {
      const limit = limitOf(strategy);
      return typeof limit === 'string' && !WHOLE_PERCENT.test(limit);
    },
  },
];

const losses: readonly Row[] = [
  requiredRow,
  inPlaceRow,
  {
    what: 'burstReplicas',
    instead: `${BURST} pods are created or deleted at once`,
    applies: ({ burstReplicas }) => burstReplicas !== BURST,
  },
  launchOrderRow,
  nativeOrderRow,
  preDownloadRow,
];

/** A DaemonSet as that of Kubernetes (OpenKruise advanced-daemonset, section 12), which has the same rules for nodes and limits. */
export const daemonSetLowering = loweringTo<Read>({
  to: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  stays,
  losses,
  differs: ['a pod that has succeeded is replaced', 'paused becomes updateStrategy.type OnDelete'],
  read: (object, around) => ({ ...normalizeDaemonSet(object), ...around, object }),
  lower(object, read) {
    const { revisionHistoryLimit } = objectOf(object['spec']);
    return {
      metadata: plainMetadata(object),
      spec: plainFields({
        selector: read.selector as JsonObject,
        minReadySeconds: read.minReadySeconds === 0 ? undefined : read.minReadySeconds,
        revisionHistoryLimit,
        updateStrategy: strategyOf(read),
        template: orderedTemplate({ ...read, template: plainTemplate(read.template) }),
      }),
    };
  },
});

/** Kubernetes refuses more than 100%. */
function limitOf(strategy: NormalDaemonSet['strategy']): IntOrPercent | undefined {
  switch (strategy.type) {
    case 'OnDelete':
      return undefined;
    case 'Surging':
      return atMostAll(strategy.maxSurge);
    case 'Standard':
    case 'InPlaceIfPossible':
      return atMostAll(strategy.maxUnavailable);
  }
}

function strategyOf({ strategy, paused }: Read): JsonObject {
  const limit = limitOf(strategy);
  if (limit === undefined || paused) return { type: 'OnDelete' };
  // Where both limits are 0, one node may be unavailable: Kubernetes refuses two zeros.
  const rollingUpdate =
    strategy.type === 'Surging'
      ? { maxSurge: limit, maxUnavailable: 0 }
      : { maxUnavailable: isSet(limit) ? limit : 1, maxSurge: 0 };
  return { type: 'RollingUpdate', rollingUpdate };
}
