import { noHooks } from '../../../semantics/lifecycle/hooks.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import type { ClaimNaming } from '../../../semantics/claims/naming.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { type Workload, workloadOf } from '../../../semantics/workload/view.ts';
import { template } from '../cloneset/model.ts';

/** A kind whose pods have ordinals: only the name relates a claim to its pod, and claims outlive their owner. */
const byOrdinal: ClaimNaming = {
  idOf: ({ metadata: { name } }, target) =>
    new RegExp(`(^|-)${target.metadata.name}-([0-9]+)$`).exec(name)?.[2] ?? '',
  newClaim: () => ({ labels: {}, ownerReferences: [] }),
  foreignAnnotation: undefined,
};

const target: KubeObject = {
  apiVersion: 'example.io/v1',
  kind: 'Ordered',
  metadata: { name: 'db', namespace: 'shop', uid: 'uid-db' },
};
const claimTemplate = (name: string): JsonObject => ({
  metadata: { name, labels: { of: 'template' } },
  spec: { accessModes: ['ReadWriteOnce'] },
});

export function claim(ordinal: number, annotations: Record<string, string> = {}): KubeObject {
  const name = `data-db-${ordinal}`;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, uid: `uid-${name}`, resourceVersion: '3', annotations },
  };
}

export function pod(ordinal: number): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `db-${ordinal}`, uid: `uid-db-${ordinal}`, labels: { app: 'web' } },
    spec: { containers: [] },
  };
}

export function workload(pods: readonly Pod[], claims: readonly KubeObject[]): Workload {
  const revision: KubeObject = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: 'db-7c',
      annotations: { 'plan.kruise.io/claim-templates': JSON.stringify([claimTemplate('data')]) },
    },
    data: revisionData(template()),
    revision: 1,
  };
  const spec = {
    selector: { matchLabels: { app: 'web' } },
    template: template(),
    volumeClaimTemplates: [claimTemplate('data'), claimTemplate('logs')],
    minReadySeconds: 0,
    lifecycle: noHooks,
    policy: 'ReCreate',
  } as const;
  return workloadOf({ target, pods, revisions: [revision], claims }, spec, byOrdinal);
}
