import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { loweringTo, type Neighbors, type RowOf } from '../kinds/lowering.ts';
import { NODE_NAME_FIELD } from '../node/node.ts';
import { UNPRIVILEGED_CONTAINER, UNPRIVILEGED_POD } from '../pull/unprivileged.ts';
import { cutName } from '../values/cut-name.ts';
import { objectOf } from '../values/read.ts';
import type { LabelSelector } from '../values/selector.ts';
import { plainFields, plainMetadata, requiredRow } from '../workload/plain.ts';
import { imageOf, type NormalPull, normalizePull, type PullNodes } from './normalize.ts';

/** The image of the container that each pod has beside the volume. Kubernetes publishes it, and it does nothing. */
const PAUSE = 'registry.k8s.io/pause:3.10';
const LONGEST_LABEL = 63;

interface Read extends NormalPull, Neighbors {
  object: KubeObject;
  /** `pullPolicy` as it is written. */
  policy: JsonObject;
}

type Row = RowOf<Read>;

const stays: readonly Row[] = [
  {
    what: 'completionPolicy.type Always',
    instead: 'a DaemonSet has no end, and would pull to nodes that join later',
    applies: ({ neverEnds }) => !neverEnds,
  },
  {
    what: 'podSelector',
    instead: 'on which nodes pods are is known in a cluster',
    applies: ({ nodes }) => nodes.by === 'pods',
  },
  {
    what: 'parallelism 0',
    instead: 'a DaemonSet begins on every node',
    applies: ({ parallelism }) => parallelism === 0,
  },
];

const losses: readonly Row[] = [
  {
    what: 'any node',
    instead: `it runs a pod with the image ${PAUSE} for good, which holds the image in a volume`,
    applies: () => true,
  },
  {
    what: 'any cluster before Kubernetes 1.35, and any node before containerd 2.1',
    instead: 'there is no image volume: the server refuses the object, or its pods do not start',
    applies: () => true,
  },
  {
    what: 'any result of a node',
    instead: 'a pod that is ready has the image, one that is not says why; nothing counts failed nodes',
    applies: () => true,
  },
  {
    what: 'any first pull',
    instead: 'all nodes pull at once; parallelism is for a changed image alone',
    applies: () => true,
  },
  {
    what: 'imagePullPolicy Always',
    instead: 'the registry is asked when a pod starts, and not daily',
    applies: ({ isForced }) => isForced,
  },
  {
    what: 'pullPolicy',
    instead: 'the kubelet tries again for ever, with pauses of its own',
    applies: ({ policy }) => Object.keys(policy).length > 0,
  },
  { ...requiredRow, instead: 'all nodes pull at once, without a plan' },
];

/** A job of type Never as a DaemonSet whose pods hold the image in a volume: no program of it runs, and no shell is needed. */
export const pullJobLowering = loweringTo<Read>({
  to: { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  stays,
  losses,
  differs: [
    'a node keeps the image as long as its pod is there, however full its disk is',
    'sandboxConfig is not used, as the runtime does not use it either',
    'a node that is not ready takes part as soon as it is',
  ],
  read(object, around) {
    const policy = objectOf(objectOf(object['spec'])['pullPolicy']);
    return { ...normalizePull(object), ...around, object, policy };
  },
  lower(object, read) {
    const metadata = plainMetadata(object);
    const labels = {
      'app.kubernetes.io/name': 'image-pull',
      'app.kubernetes.io/instance': cutName(metadata.name, LONGEST_LABEL),
    };
    return {
      metadata,
      spec: {
        selector: { matchLabels: labels },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: read.parallelism } },
        template: { metadata: { labels }, spec: podSpec(imageOf(object), read) },
      },
    };
  },
});

function podSpec(image: string, { nodes, pullSecrets, isForced }: NormalPull): JsonObject {
  const secrets = pullSecrets.map((name) => ({ name }));
  const pullPolicy = isForced ? 'Always' : 'IfNotPresent';
  return plainFields({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: termsOf(nodes) } },
    tolerations: [{ operator: 'Exists' }],
    ...UNPRIVILEGED_POD,
    imagePullSecrets: secrets.length === 0 ? undefined : secrets,
    containers: [
      {
        name: 'pause',
        image: PAUSE,
        // An error of a volume is shown by the containers that mount it.
        volumeMounts: [{ name: 'image', mountPath: '/image', readOnly: true }],
        securityContext: UNPRIVILEGED_CONTAINER,
      },
    ],
    volumes: [{ name: 'image', image: { reference: image, pullPolicy } }],
  });
}

/** Virtual kubelets pull nothing. Names are alternatives: a term may have one of them. */
function termsOf(nodes: PullNodes): JsonObject {
  const real = { key: 'type', operator: 'NotIn', values: ['virtual-kubelet'] };
  switch (nodes.by) {
    case 'all':
    case 'pods':
      return { nodeSelectorTerms: [{ matchExpressions: [real] }] };
    case 'labels':
      return { nodeSelectorTerms: [{ matchExpressions: [...requirementsOf(nodes.selector), real] }] };
    case 'names':
      return {
        nodeSelectorTerms: nodes.names.map((name) => ({
          matchExpressions: [real],
          matchFields: [{ key: NODE_NAME_FIELD, operator: 'In', values: [name] }],
        })),
      };
  }
}

function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): JsonObject[] {
  const labels = Object.entries(matchLabels ?? {}).map(([key, value]) => ({
    ...{ key, operator: 'In', values: [value] },
  }));
  const expressions = (matchExpressions ?? []).map(({ key, operator, values }) =>
    plainFields({
      key,
      operator,
      values: values === undefined || values.length === 0 ? undefined : [...values],
    }),
  );
  return [...labels, ...expressions];
}
