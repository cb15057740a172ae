import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

/** A request about a pod, and what comes of it. */
export interface BudgetRequest {
  title: string;
  budget: KubeObject;
  pod: KubeObject;
  request: 'DELETE' | { patch: JsonObject; subresource?: string; type?: 'merge' };
  /** Who asks; undefined: the administrator. */
  as?: string;
  /** How the refusal ends; undefined: it passes. */
  refusal: string | undefined;
}

const LINK = 'pub.kruise.io/related-pub';
const NO_MORE = ': 1 must stay available, and no more may become unavailable now';
const UNCOUNTED = ': its pods are not counted, see its status';
const TAMPERED = `: leave its annotation ${LINK} as it is`;
const LATER = '2100-01-01T00:00:00Z';

/** What a budget shows that was held before it was counted. */
const NEVER = { unavailableAllowed: 0, currentAvailable: 0, desiredAvailable: 0, totalReplicas: 0 };

/** A budget of which none is left. */
function budgetOf(name: string, spec: JsonObject, status: JsonObject = {}, annotations = {}): KubeObject {
  return {
    apiVersion: 'policy.kruise.io/v1beta1',
    kind: 'PodUnavailableBudget',
    metadata: { name, annotations },
    spec: { selector: { matchLabels: { app: name } }, maxUnavailable: 1, ...spec },
    status: {
      observedGeneration: 1,
      unavailableAllowed: 0,
      currentAvailable: 1,
      desiredAvailable: 1,
      totalReplicas: 2,
      ...status,
    },
  };
}

/** A pod of that budget which is ready. */
function podOf(
  budget: string,
  metadata: JsonObject = {},
  spec: JsonObject = {},
  status: JsonObject = {},
): KubeObject {
  const { annotations, labels, ...rest } = metadata as Record<string, JsonObject>;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: budget,
      labels: { app: budget, ...labels },
      annotations: { [LINK]: budget, ...annotations },
      ...rest,
    },
    spec: {
      containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '1' } } }],
      nodeSelector: { nowhere: 'true' },
      ...spec,
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], ...status },
  };
}

const image: BudgetRequest['request'] = {
  patch: { spec: { containers: [{ name: 'main', image: 'web:2' }] } },
};
const label: BudgetRequest['request'] = {
  patch: { metadata: { labels: { 'unavailable-pod.kruise.io/drain': '' } } },
};
const link = (value: string | null): BudgetRequest['request'] => ({
  patch: { metadata: { annotations: { [LINK]: value } } },
});
const cpu: BudgetRequest['request'] = {
  patch: { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '2' } } }] } },
  subresource: 'resize',
};

type Row = {
  spec?: JsonObject;
  status?: JsonObject;
  annotations?: Record<string, string>;
  pod?: [metadata?: JsonObject, spec?: JsonObject, status?: JsonObject];
  request?: BudgetRequest['request'];
  as?: string;
  refusal?: string;
};

const RUNTIME = 'system:serviceaccount:kruise-system:kruise-runtime';
const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
const PREEMPTION = 'system:kube-scheduler --as-group system:masters';
const TAINTS = 'system:serviceaccount:kube-system:node-controller --as-group system:masters';
const SCALER = 'system:serviceaccount:kube-system:replicaset-controller --as-group system:masters';

const rows: Readonly<Record<string, Row>> = {
  'PUB-7: none is left: a deletion is refused': { refusal: NO_MORE },
  'one is left: a deletion passes': { status: { unavailableAllowed: 1 } },
  'a limit of 0 stops every deletion': {
    spec: { maxUnavailable: 0 },
    status: { desiredAvailable: 1 },
    refusal: NO_MORE,
  },
  'PUB-25: none must stay available: it passes': { status: { desiredAvailable: 0 } },
  'PUB-33: a budget that was never counted stops nothing': {
    status: { observedGeneration: null },
  },
  'one that was never counted stops nothing, held as invalid': {
    status: { ...NEVER, conditions: [held('InvalidTarget')] },
  },
  'nor where that runtime does not execute it': {
    status: { ...NEVER, conditions: [held('UnsupportedSemantics')] },
  },
  'counted without pods and invalid since: a deletion is refused': {
    status: { ...NEVER, observedGeneration: 2, conditions: [held('InvalidTarget')] },
    refusal: UNCOUNTED,
  },
  'counted without pods, and an annotation made it invalid': {
    annotations: { 'pub.kruise.io/protect-total-replicas': 'many' },
    status: { ...NEVER, conditions: [held('InvalidTarget')] },
    refusal: UNCOUNTED,
  },
  'counted without pods for another spec: likewise': {
    status: { ...NEVER, observedGeneration: 0 },
    refusal: UNCOUNTED,
  },
  'what was counted for another spec is no number': {
    status: { observedGeneration: 0, unavailableAllowed: 1 },
    refusal: UNCOUNTED,
  },
  'a held budget protects all of its pods': {
    status: {
      unavailableAllowed: 1,
      conditions: [held('InvalidTarget')],
    },
    refusal: UNCOUNTED,
  },
  'one that is held for a link alone is counted': {
    status: { unavailableAllowed: 1, conditions: [held('FailedUpdate')] },
  },
  'PUB-8: no-protect true passes': { pod: [{ annotations: { 'pub.kruise.io/no-protect': 'T' } }] },
  'PUB-8: no-protect yes does not': {
    pod: [{ annotations: { 'pub.kruise.io/no-protect': 'yes' } }],
    refusal: NO_MORE,
  },
  'PUB-9: a pod that is left out by labels passes': {
    spec: { ignoredPodSelector: { matchLabels: { tier: 'batch' } } },
    pod: [{ labels: { tier: 'batch' } }],
  },
  'PUB-9: one that is not does not': {
    spec: { ignoredPodSelector: { matchLabels: { tier: 'batch' } } },
    pod: [{ labels: { tier: 'front' } }],
    refusal: NO_MORE,
  },
  'PUB-12: a pod that is not ready passes': {
    pod: [{}, {}, { conditions: [{ type: 'Ready', status: 'False' }] }],
  },
  'PUB-10: a pod that is out of traffic passes': {
    pod: [{ labels: { 'unavailable-pod.kruise.io/drain': '' } }],
  },
  'PUB-10: to take it out of traffic is refused': { request: label, refusal: NO_MORE },
  'another image is refused': { request: image, refusal: NO_MORE },
  'PUB-11: where deletions alone are protected, it passes': {
    spec: { protectOperations: ['DELETE'] },
    request: image,
  },
  'labels by which it leaves the budget are refused': {
    request: { patch: { metadata: { labels: { app: null } } } },
    refusal: NO_MORE,
  },
  'they pass where one is left': {
    status: { unavailableAllowed: 1 },
    request: { patch: { metadata: { labels: { app: 'other' } } } },
  },
  'they pass where changes are not protected': {
    spec: { protectOperations: ['DELETE'] },
    request: { patch: { metadata: { labels: { app: 'other' } } } },
  },
  'a label that takes nothing out passes': { request: { patch: { metadata: { labels: { team: 'shop' } } } } },
  'PUB-15: a pod that has a slot passes': {
    status: { disruptedPods: { 'pub-15-a-pod-that-has-a-slot-passes': LATER } },
  },
  'the slot of a pod of that name from before is no slot': {
    status: {
      disruptedPods: { 'the-slot-of-a-pod-of-that-name-from-before-is-no-slot': '2020-01-01T00:00:00Z' },
    },
    refusal: NO_MORE,
  },
  'PUB-19: more cpu passes': { request: cpu },
  'PUB-19, PUB-38: more cpu is refused where RESIZE is listed': {
    spec: { protectOperations: ['RESIZE'] },
    request: cpu,
    refusal: NO_MORE,
  },
  'PUB-19: more cpu that restarts a container is an update': {
    pod: [
      {},
      {
        containers: [
          {
            name: 'main',
            image: 'web:1',
            resources: { requests: { cpu: '1' } },
            resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
          },
        ],
      },
    ],
    request: cpu,
    refusal: NO_MORE,
  },
  'PUB-27: the annotation of v1alpha1 names what is protected': {
    annotations: { 'kruise.io/pub-protect-operations': 'EVICT, UPDATE' },
  },
  'PUB-27: and it is trimmed': {
    annotations: { 'kruise.io/pub-protect-operations': 'EVICT, UPDATE' },
    request: image,
    refusal: NO_MORE,
  },
  'a pod without its link is not protected': { pod: [{ annotations: { [LINK]: '' } }] },
  'the link is not removed': { status: { unavailableAllowed: 1 }, request: link(null), refusal: TAMPERED },
  'nor does it name another budget': { request: link('other'), refusal: TAMPERED },
  'but by the runtime, about which nobody asks': { request: link('other'), as: RUNTIME },
  'a pod that the budget does not select has a stale link': {
    spec: { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['other'] }] } },
  },
  'of a workload the link alone tells': {
    spec: { selector: null, targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' } },
    refusal: NO_MORE,
  },
  'the garbage collector deletes what has lost its owner': { as: COLLECTOR },
  'the scheduler makes room for a pod of higher priority': { as: PREEMPTION },
  'but it changes none': { as: PREEMPTION, request: image, refusal: NO_MORE },
  'a node that is tainted loses its pods': { as: TAINTS },
  'another controller is refused': { as: SCALER, refusal: NO_MORE },
  ...selectors(),
};

function held(reason: string): JsonObject {
  return {
    type: 'plan.kruise.io/Held',
    status: 'True',
    reason,
    message: 'it is held',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
}

/** Every operator of a selector, with labels that it matches and some that it does not. */
function selectors(): Record<string, Row> {
  const terms: readonly [operator: string, values: string[] | undefined, matched: string[]][] = [
    ['In', ['a', 'b'], ['a']],
    ['NotIn', ['a', 'b'], ['c', '']],
    ['Exists', undefined, ['a', 'c']],
    ['DoesNotExist', undefined, ['']],
  ];
  return Object.fromEntries(
    terms.flatMap(([operator, values, matched]) =>
      ['a', 'c', ''].map((tier): [string, Row] => [
        `a selector with ${operator}, and ${tier === '' ? 'no label' : `the label ${tier}`}`,
        {
          spec: {
            selector: {
              matchExpressions: [{ key: 'tier', operator, ...(values && { values }) }],
            },
          },
          pod: [tier === '' ? {} : { labels: { tier } }],
          ...(matched.includes(tier) && { refusal: NO_MORE }),
        },
      ]),
    ),
  );
}

export const budgetRequests: readonly BudgetRequest[] = Object.entries(rows).map(([title, row]) => {
  const name = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return {
    title,
    budget: budgetOf(name, row.spec ?? {}, row.status, row.annotations),
    pod: podOf(name, ...(row.pod ?? [])),
    request: row.request ?? 'DELETE',
    refusal: row.refusal,
    ...(row.as !== undefined && { as: row.as }),
  };
});
