import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { Action, Decision } from '../../../semantics/decision.ts';
import type { RolloutSnapshot } from '../../../semantics/kinds/kind.ts';
import type { Envelope } from '../../../semantics/plan/envelope.ts';
import {
  IN_PLACE_STATE_ANNOTATION,
  LIFECYCLE_LABEL,
  type Pod,
  REVISION_LABEL,
  SHORT_HASH_LABEL,
} from '../../../semantics/pod/types.ts';
import { CLAIM_TEMPLATES_ANNOTATION, COMPLETE_ANNOTATION } from '../../../semantics/revision/revision.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { statefulSetKind } from '../../../semantics/statefulset/kind.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

export const NOW = Date.UTC(2026, 0, 2);

/** A StatefulSet `web` and its pods at one moment. */
export interface Given {
  policy?: 'OrderedReady' | 'Parallel';
  replicas: number;
  start?: number;
  reserve?: readonly (number | string)[];
  partition?: number;
  /** maxUnavailable of the update. */
  max?: number | string;
  /** scaleStrategy.maxUnavailable. */
  scale?: number | string;
  /** Further fields of `updateStrategy.rollingUpdate`. */
  rolling?: JsonObject;
  onDelete?: boolean;
  /** revisionHistoryLimit. */
  history?: number;
  /** It is being deleted. */
  deleting?: boolean;
  /**
   * `0 1! 2n`: ordinals, and what is particular about the pod. `n`: at the new revision, `m`: at a third one, `!`: not ready, `p`: pending,
   * `~`: ready for a second, `t`: being deleted, `f`: failed, `x`: marked for deletion, `d`: drained, `i`: its image was changed in place, and the old one runs still,
   * `b`: it was ready, and has broken a minute ago, `r`: it was made ten minutes ago.
   */
  pods: string;
  /** Ordinals of pods that another target is about to write. */
  reserved?: readonly number[];
  /** Labels of pods, by ordinal. */
  labels?: Readonly<Record<number, Record<string, string>>>;
  /**
   * Each pod has a claim `data`. The ordinals whose claim exists; `t`: it is being deleted. It is owned by: `s`: the
   * StatefulSet, `p`: its pod, `e`: an earlier pod. It requests and has 1Gi; `g`: 2Gi, `r`: it requests 2Gi and has 1Gi, `w`: the same, and
   * its node resizes the file system, `u`: it has no volume, `c`: it has another storage class.
   */
  claims?: string;
  /** The ordinals on record as made at the new revision. */
  made?: string;
  /** The claims grow with the template, whose size this is. */
  growsTo?: string;
  /** Hooks. */
  lifecycle?: JsonObject;
  retention?: { whenScaled?: 'Retain' | 'Delete'; whenDeleted?: 'Retain' | 'Delete' };
  /** The template that the pods are to have. Default: `new`. */
  live?: 'old' | 'new';
}

export const templateOf = (image: string, env?: string): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [{ name: 'main', image, ...(env !== undefined && { env: [{ name: 'LOG', value: env }] }) }],
    readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
  },
});

const IMAGES = { old: 'web:1', mid: 'web:1.5', new: 'web:2' } as const;
type Side = keyof typeof IMAGES;
/** The third revision differs from the others in more than images. */
const templates: Readonly<Record<Side, JsonObject>> = {
  old: templateOf(IMAGES.old),
  mid: templateOf(IMAGES.mid, 'debug'),
  new: templateOf(IMAGES.new),
};
export const hashes = {
  old: templateHash(templates.old),
  mid: templateHash(templates.mid),
  new: templateHash(templates.new),
} as const;

function sideOf(flags: string): Side {
  return flags.includes('n') ? 'new' : flags.includes('m') ? 'mid' : 'old';
}

export function targetOf(given: Given): KubeObject {
  const { policy = 'Parallel', replicas, start, reserve, partition = 0, max, scale, live = 'new' } = given;
  const rollingUpdate = { partition, ...(max !== undefined && { maxUnavailable: max }), ...given.rolling };
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'uid-web',
      generation: 3,
      ...(given.deleting === true && { deletionTimestamp: timestamp(NOW) }),
    },
    spec: {
      replicas,
      podManagementPolicy: policy,
      selector: { matchLabels: { app: 'web' } },
      template: templates[live],
      updateStrategy:
        given.onDelete === true ? { type: 'OnDelete' } : { type: 'RollingUpdate', rollingUpdate },
      ...(given.history !== undefined && { revisionHistoryLimit: given.history }),
      ...(start !== undefined && { ordinals: { start } }),
      ...(reserve !== undefined && { reserveOrdinals: [...reserve] }),
      ...(scale !== undefined && { scaleStrategy: { maxUnavailable: scale } }),
      ...(given.claims !== undefined && { volumeClaimTemplates: [claimTemplateOf(given)] }),
      ...(given.growsTo !== undefined && { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } }),
      ...(given.lifecycle !== undefined && { lifecycle: given.lifecycle }),
      ...(given.retention !== undefined && { persistentVolumeClaimRetentionPolicy: given.retention }),
    },
  };
}

const storageOf = (storage: string): JsonObject => ({
  storageClassName: 'disk',
  accessModes: ['ReadWriteOnce'],
  resources: { requests: { storage } },
});
const claimTemplate = { metadata: { name: 'data', labels: { tier: 'db' } }, spec: storageOf('1Gi') };

function claimTemplateOf({ growsTo: size = '1Gi' }: Given): JsonObject {
  return { ...claimTemplate, spec: storageOf(size) };
}

function claimsOf({ claims = '' }: Given): KubeObject[] {
  return claims
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => {
      const [, ordinal = '', flags = ''] = /^([0-9]+)(.*)$/.exec(text) ?? [];
      const pod = { apiVersion: 'v1', kind: 'Pod', name: `web-${ordinal}` };
      const owners = [
        ...(flags.includes('s')
          ? [{ apiVersion: 'apps.kruise.io/v1beta1', kind: 'StatefulSet', name: 'web', uid: 'uid-web' }]
          : []),
        ...(flags.includes('p') ? [{ ...pod, uid: `uid-${ordinal}` }] : []),
        ...(flags.includes('e') ? [{ ...pod, uid: 'uid-earlier' }] : []),
      ];
      return {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `data-web-${ordinal}`,
          namespace: 'shop',
          ...(flags.includes('t') && { deletionTimestamp: timestamp(NOW - 1_000) }),
          ...(owners.length > 0 && { ownerReferences: owners }),
        },
        spec: {
          ...storageOf(/[grw]/.test(flags) ? '2Gi' : '1Gi'),
          ...(flags.includes('c') && { storageClassName: 'tape' }),
        },
        status: {
          phase: flags.includes('u') ? 'Pending' : 'Bound',
          capacity: { storage: flags.includes('g') ? '2Gi' : '1Gi' },
          ...(flags.includes('w') && { conditions: [{ type: 'FileSystemResizePending', status: 'True' }] }),
        },
      };
    });
}

export function revisionsOf({ claims, made }: Given): KubeObject[] {
  const recorded = JSON.stringify([claimTemplate]);
  return (['old', 'mid', 'new'] as const).map((side, index) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `web-${side}`,
      uid: `uid-${side}`,
      resourceVersion: '1',
      annotations: {
        ...(side === 'old' && { [COMPLETE_ANNOTATION]: '1' }),
        ...(side === 'new' && made !== undefined && { 'plan.kruise.io/made-at': made }),
        ...(claims !== undefined && { [CLAIM_TEMPLATES_ANNOTATION]: recorded }),
      },
    },
    data: revisionData(templates[side]),
    revision: index + 1,
  }));
}

/** An update in place to the new revision has begun. */
const STARTED = JSON.stringify({
  revision: 'web-new',
  updateTimestamp: timestamp(NOW - 1_000),
  lastContainerStatuses: { main: { imageID: 'old' } },
});

function podOf(ordinal: string, flags: string, labels: Record<string, string> = {}): Pod {
  const side = sideOf(flags);
  const runs = flags.includes('i') ? 'old' : side;
  const isDrained = flags.includes('d');
  const breaks = flags.includes('b');
  const isReady = !/[!bdfp]/.test(flags);
  const since = timestamp(flags.includes('~') ? NOW - 1_000 : NOW - 3_600_000);
  const condition = (type: string, is: boolean, at?: number, reason?: string) => ({
    type,
    status: is ? ('True' as const) : ('False' as const),
    lastTransitionTime: at === undefined ? since : timestamp(at),
    ...(reason !== undefined && { reason }),
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-${ordinal}`,
      namespace: 'shop',
      uid: `uid-${ordinal}`,
      resourceVersion: '7',
      creationTimestamp: flags.includes('r') ? timestamp(NOW - 600_000) : since,
      ...(flags.includes('t') && { deletionTimestamp: timestamp(NOW - 1_000) }),
      ...(flags.includes('i') && { annotations: { [IN_PLACE_STATE_ANNOTATION]: STARTED } }),
      labels: {
        app: 'web',
        [REVISION_LABEL]: `web-${side}`,
        [SHORT_HASH_LABEL]: side,
        [LIFECYCLE_LABEL]: 'Normal',
        'statefulset.kubernetes.io/pod-name': `web-${ordinal}`,
        ...(flags.includes('x') && { 'apps.kruise.io/specified-delete': 'false' }),
        ...labels,
      },
    },
    spec: {
      nodeName: 'node',
      containers: [{ name: 'main', image: IMAGES[side] }],
      readinessGates: [{ conditionType: 'InPlaceUpdateReady' }],
    },
    status: {
      phase: flags.includes('f') ? 'Failed' : flags.includes('p') ? 'Pending' : 'Running',
      conditions: [
        condition('Ready', isReady, breaks ? NOW - 60_000 : undefined),
        ...(breaks ? [condition('Initialized', true)] : []),
        isDrained
          ? condition('InPlaceUpdateReady', false, undefined, 'StartInPlaceUpdate')
          : condition('InPlaceUpdateReady', true),
      ],
      containerStatuses: [
        { name: 'main', ready: isReady, restartCount: 0, image: IMAGES[runs], imageID: runs },
      ],
    },
  };
}

export function podsOf({ pods, labels = {} }: Given): Pod[] {
  return pods
    .split(' ')
    .filter((text) => text !== '')
    .map((text) => {
      const [, ordinal = '', flags = ''] = /^([0-9]+)(.*)$/.exec(text) ?? [];
      return podOf(ordinal, flags, labels[Number(ordinal)]);
    });
}

/** The target's own strategy alone, as with OpenKruise. */
export function ownStrategy(live: 'old' | 'new' = 'new'): Envelope {
  return {
    goal: hashes[live],
    stable: hashes.old,
    allowed: 'unbounded',
    obeyPartition: true,
    touch: true,
    moving: true,
    ownStrategy: true,
    growsClaims: true,
    mode: 'Recreate',
    reason: 'its own strategy',
  };
}

/** A step of a plan that allows so many pods on the new revision. */
export function step(allowed: number, more: Partial<Envelope> = {}): Envelope {
  const { ownStrategy: _, ...own } = ownStrategy();
  return { ...own, allowed, reason: 'a step', ...more };
}

/** A revert to the old revision; `broken`: the pods that were broken before the plan. */
export function back(broken: readonly string[] = [], more: Partial<Envelope> = {}): Envelope {
  const { ownStrategy: _, ...own } = ownStrategy('old');
  return {
    ...own,
    obeyPartition: false,
    back: { broken, since: { stepSince: NOW - 3_600_000 } },
    reason: 'goes back',
    ...more,
  };
}

/** The snapshot of these objects. `revisions`: default web-old, web-mid and web-new. */
export function snapshotOf(
  given: Given,
  revisions: readonly KubeObject[] = revisionsOf(given),
  now = NOW,
): RolloutSnapshot {
  return statefulSetKind.observe({
    target: targetOf(given),
    pods: podsOf(given),
    revisions,
    claims: claimsOf(given),
    takenNames: new Set(),
    reserved: new Set((given.reserved ?? []).map((ordinal) => uidAt(given, ordinal))),
    now,
  });
}

function uidAt(given: Given, ordinal: number): string {
  return podsOf(given).find(({ metadata }) => metadata.name === `web-${ordinal}`)?.metadata.uid ?? '';
}

export function decide(given: Given, envelope: Envelope = ownStrategy(given.live)): Decision<object> {
  return snapshotOf(given).decide(envelope, undefined, new Set());
}

/** What one reconcile does to pods: `create 0@new`, `delete 4`, `drain 4`. */
export function actions(given: Given, envelope?: Envelope): string[] {
  return decide(given, envelope ?? ownStrategy(given.live))
    .actions.filter(({ kind }) => kind === 'Pod')
    .map(textOf);
}

function textOf(action: Action): string {
  if (action.do !== 'create') return `${action.verb} ${action.name.slice('web-'.length)}`;
  const { name, labels = {} } = action.object.metadata;
  return `create ${name.slice('web-'.length)}@${(labels[REVISION_LABEL] ?? '').slice('web-'.length)}`;
}
