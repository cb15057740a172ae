import type { DaemonSetStatus } from '../../../schemas/generated/types/daemonset.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { normalizeDaemonSet } from '../../../semantics/daemonset/normalize.ts';
import { observeDaemonSet } from '../../../semantics/daemonset/observe.ts';
import type { Action, Decision } from '../../../semantics/decision.ts';
import type { Orphans, RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import type { Node, Taint } from '../../../semantics/node/node.ts';
import { affinityTo } from '../../../semantics/node/affinity.ts';
import { nodeOfPod } from '../../../semantics/node/placement.ts';
import type { CreationBackoff } from '../../../semantics/plan/creation-backoff.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import {
  IN_PLACE_STATE_ANNOTATION,
  LIFECYCLE_LABEL,
  type Pod,
  REVISION_LABEL,
  SHORT_HASH_LABEL,
} from '../../../semantics/pod/types.ts';
import { COMPLETE_ANNOTATION } from '../../../semantics/revision/revision.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

export const NOW = Date.UTC(2026, 0, 2);

/** A DaemonSet `agent`, its pods and all nodes at one moment. */
export interface Given {
  /** Fields of `updateStrategy.rollingUpdate`. */
  rolling?: JsonObject;
  onDelete?: boolean;
  /** Further fields of `spec`. */
  spec?: JsonObject;
  annotations?: Record<string, string>;
  /** It is being deleted. */
  deleting?: boolean;
  /**
   * `n1 n2! n3x`: nodes, and what is particular about them. `!`: tainted with NoSchedule, `x`: tainted with NoExecute, `c`: cordoned,
   * `d`: not ready, with the taints that such a node gets, `r`: ready again, and still with them, `l`: it has the label `pool: gpu`, `j`: it
   * has joined a second ago, `b`: it is Ready for a minute.
   */
  nodes: string;
  /**
   * `n1 n2n n3!`: pods by their nodes. `n`: at the new revision, `m`: at a third one, `!`: not ready, `k`: marked as not ready by the node controller, `~`: ready for a second, `t`: being
   * deleted, `f`: failed, `s`: succeeded, `p`: PreparingDelete, `u`: assigned and not bound to its node, `y`: younger than others, `g`: with
   * the readiness gate for updates in place, `d`: the same, and drained, `i`: the same, and its image was changed.
   */
  pods: string;
  /** The template that the pods are to have. Default: `new`. */
  live?: Side;
  /** Labels of pods, by their names. */
  labels?: Record<string, Record<string, string>>;
  /** Further fields of the pods of every template. */
  pod?: JsonObject;
  /** The node selectors of the new template, and of the old one. */
  pool?: string;
  oldPool?: string;
  taken?: readonly string[];
  /** Nodes whose pods failed repeatedly. */
  deferred?: readonly string[];
  /** Names of pods that another target is about to write. */
  reserved?: readonly string[];
}

type Side = 'old' | 'mid' | 'new';
const IMAGES = { old: 'agent:1', mid: 'agent:1.5', new: 'agent:2' } as const;

/** What its templates have. */
type Templates = Pick<Given, 'pod' | 'pool' | 'oldPool'>;

export function templateOf(side: Side, { pod = {}, pool, oldPool }: Templates = {}): JsonObject {
  const own = { old: oldPool, mid: undefined, new: pool }[side];
  return {
    metadata: { labels: { app: 'agent' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: IMAGES[side],
          // The third revision differs from the others in more than images.
          ...(side === 'mid' && { env: [{ name: 'LOG', value: 'debug' }] }),
        },
      ],
      ...(own !== undefined && { nodeSelector: { pool: own } }),
      ...pod,
    },
  };
}

export function hashOf(side: Side, given: Templates = {}): string {
  return templateHash(templateOf(side, given));
}

export function targetOf(given: Given): KubeObject {
  const { rolling, onDelete = false, spec = {}, annotations, live = 'new', deleting = false } = given;
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: {
      name: 'agent',
      namespace: 'ops',
      uid: 'uid-agent',
      generation: 3,
      ...(annotations !== undefined && { annotations }),
      ...(deleting && { deletionTimestamp: timestamp(NOW) }),
    },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: templateOf(live, given),
      updateStrategy: onDelete
        ? { type: 'OnDelete' }
        : { type: 'RollingUpdate', ...(rolling !== undefined && { rollingUpdate: rolling }) },
      ...spec,
    },
  };
}

const OUTAGE: readonly Taint[] = [
  { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' },
];

const TAINTS: Readonly<Record<string, readonly Taint[]>> = {
  '!': [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }],
  x: [{ key: 'dedicated', value: 'db', effect: 'NoExecute' }],
  c: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
  d: OUTAGE,
  r: OUTAGE,
};

/** `n1!` as the name of its node and its flags. */
function words(text: string): [node: string, flags: string][] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [, node = '', flags = ''] = /^(n[0-9]+)(.*)$/.exec(word) ?? [];
      return [node, flags];
    });
}

function labelsOf(flags: string): Record<string, string> {
  return flags.includes('l') ? { pool: 'gpu' } : {};
}

export function nodesOf(text: string): Node[] {
  return words(text).map(([name, flags]) => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: timestamp(flags.includes('j') ? NOW - 1_000 : NOW - 86_400_000),
      labels: labelsOf(flags),
    },
    spec: {
      taints: [...flags].flatMap((flag) => TAINTS[flag] ?? []),
      ...(flags.includes('c') && { unschedulable: true }),
    },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: flags.includes('d') ? 'Unknown' : 'True',
          ...(flags.includes('b') && { lastTransitionTime: timestamp(NOW - 60_000) }),
        },
      ],
    },
  }));
}

/** `agent-new`, as revisions are named here, has the short hash `new`. */
export function revisionsOf(given: Templates = {}): KubeObject[] {
  return (['old', 'mid', 'new'] as const).map((side, index) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `agent-${side}`,
      uid: `uid-${side}`,
      resourceVersion: '1',
      ...(side === 'old' && { annotations: { [COMPLETE_ANNOTATION]: '1' } }),
    },
    data: revisionData(templateOf(side, given)),
    revision: index + 1,
  }));
}

/** An update in place to the new revision has begun. */
const STARTED = JSON.stringify({
  revision: 'new',
  updateTimestamp: timestamp(NOW - 1_000),
  lastContainerStatuses: { main: { imageID: 'old' } },
});

function sideOf(flags: string): Side {
  return flags.includes('n') ? 'new' : flags.includes('m') ? 'mid' : 'old';
}

/** The name of a pod is its node, with a `b` where it is the second one there. */
function podOf(node: string, flags: string, name: string, given: Given): Pod {
  const side = sideOf(flags);
  const runs = flags.includes('i') ? 'old' : side;
  const isReady = !/[!dfsuk]/.test(flags);
  const since = timestamp(flags.includes('~') ? NOW - 1_000 : NOW - 3_600_000);
  const created = timestamp(flags.includes('y') ? NOW - 60_000 : NOW - 3_600_000);
  const isGated = /[gdi]/.test(flags);
  const isClosed = /[di]/.test(flags);
  const condition = (type: string, is: boolean, reason?: string) => ({
    type,
    status: is ? ('True' as const) : ('False' as const),
    lastTransitionTime: since,
    ...(reason !== undefined && { reason }),
  });
  const phase = flags.includes('f')
    ? 'Failed'
    : flags.includes('s')
      ? 'Succeeded'
      : flags.includes('u')
        ? 'Pending'
        : 'Running';
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'ops',
      uid: `uid-${name}`,
      resourceVersion: '7',
      creationTimestamp: created,
      ...(flags.includes('t') && { deletionTimestamp: timestamp(NOW - 1_000) }),
      ...(flags.includes('i') && { annotations: { [IN_PLACE_STATE_ANNOTATION]: STARTED } }),
      labels: {
        app: 'agent',
        [REVISION_LABEL]: side,
        [SHORT_HASH_LABEL]: side,
        ...(flags.includes('p') && { [LIFECYCLE_LABEL]: 'PreparingDelete' }),
        ...given.labels?.[name],
      },
    },
    spec: {
      ...(!flags.includes('u') && { nodeName: node }),
      affinity: affinityTo({}, node),
      containers: [{ name: 'main', image: IMAGES[side] }],
      ...(isGated && { readinessGates: [{ conditionType: 'InPlaceUpdateReady' }] }),
    },
    status: {
      phase,
      conditions: [
        condition('Ready', isReady),
        condition('ContainersReady', isReady || flags.includes('k')),
        ...(isGated
          ? [condition('InPlaceUpdateReady', !isClosed, isClosed ? 'StartInPlaceUpdate' : undefined)]
          : []),
      ],
      containerStatuses: [
        { name: 'main', ready: isReady, restartCount: 0, image: IMAGES[runs], imageID: runs },
      ],
    },
  };
}

export function podsOf(given: Given): Pod[] {
  const names = new Set<string>();
  return words(given.pods).map(([node, flags]) => {
    const name = names.has(node) ? `${node}b` : node;
    names.add(name);
    return podOf(node, flags, name, given);
  });
}

/** The target's own strategy alone, as with OpenKruise. */
export function ownStrategy(given: Templates & Pick<Given, 'live'> = {}): Envelope {
  return {
    goal: hashOf(given.live ?? 'new', given),
    stable: hashOf('old', given),
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    newPods: 100,
    ownStrategy: true,
    mode: 'Recreate',
    reason: 'its own strategy',
  };
}

/** A step of a plan that allows so many nodes on the new revision. */
export function step(allowed: number, more: Partial<Envelope> = {}, given: Templates = {}): Envelope {
  const { ownStrategy: _, newPods: _all, ...own } = ownStrategy(given);
  return { ...own, allowed, reason: 'a step', ...more };
}

/** A revert to the old revision; `broken`: the nodes that were broken before the plan. */
export function back(broken: readonly string[] = [], more: Partial<Envelope> = {}): Envelope {
  const { ownStrategy: _, ...own } = ownStrategy({ live: 'old' });
  return { ...own, obeyPartition: false, back: { broken }, reason: 'goes back', ...more };
}

export function snapshotOf(
  given: Given,
  revisions: readonly KubeObject[] = revisionsOf(given),
  { now = NOW, orphans }: { now?: number; orphans?: Orphans } = {},
): RolloutSnapshot {
  const target = targetOf(given);
  return observeDaemonSet(
    {
      target,
      pods: podsOf(given),
      revisions,
      placement: nodesOf(given.nodes),
      takenNames: new Set(given.taken),
      reserved: new Set((given.reserved ?? []).map((name) => `uid-${name}`)),
      ...(orphans !== undefined && { orphans }),
      now,
    },
    normalizeDaemonSet(target),
    { unsupported: [], invalid: [] },
  );
}

export function decide(given: Given, envelope: Envelope = ownStrategy(given), now = NOW): Decision<object> {
  return snapshotOf(given, undefined, { now }).decide(
    envelope,
    undefined,
    new Set(),
    [],
    backoffOf(given.deferred),
  );
}

function backoffOf(deferred: readonly string[] | undefined): CreationBackoff | undefined {
  if (deferred === undefined) return undefined;
  return {
    kind: 'Pod',
    deferred: new Map(deferred.map((node) => [node, 1])),
    nextAt: NOW + 4_000,
    requeueAt: NOW + 4_000,
    lost: 3,
    withinMs: 9_000,
  };
}

/** What one reconcile does to pods: `create n1@new`, `delete n1`, `drain n1`. */
export function actions(given: Given, envelope: Envelope = ownStrategy(given)): string[] {
  return actionsIn(decide(given, envelope).actions);
}

export function actionsIn(all: readonly Action[]): string[] {
  return all.filter(({ kind }) => kind === 'Pod').map(textOf);
}

function textOf(action: Action): string {
  if (action.do !== 'create') return `${action.verb} ${action.name}`;
  return `create ${nodeOfPod(action.object as Pod)}@${action.object.metadata.labels?.[REVISION_LABEL] ?? ''}`;
}

export function statusOf(given: Given, envelope?: Envelope, now = NOW): DaemonSetStatus {
  return decide(given, envelope ?? ownStrategy(given), now).status as DaemonSetStatus;
}

/** Why something is not done, by what it is about. */
export function reasons(given: Given, envelope: Envelope = ownStrategy(given)): Record<string, string> {
  return Object.fromEntries(decide(given, envelope).explanations.map(({ about, reason }) => [about, reason]));
}
