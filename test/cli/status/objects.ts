import type { StatusObjects } from '../../../cli/status/read.ts';
import type { RolloutPlanStatus } from '../../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);
export const ago = (seconds: number): string =>
  `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;
export const DIGEST = `h1:${'a'.repeat(32)}`;

export function target(name: string, status: object = {}, spec: object = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name, namespace: 'shop', uid: name, generation: 2, creationTimestamp: ago(90_000) },
    spec: { replicas: 4, ...spec },
    status: {
      observedGeneration: 2,
      replicas: 4,
      readyReplicas: 4,
      availableReplicas: 4,
      updatedReplicas: 4,
      updatedAvailableReplicas: 4,
      expectedUpdatedReplicas: 4,
      updateRevision: `${name}-new`,
      currentRevision: `${name}-old`,
      ...status,
    },
  };
}

export function plan(name: string, status: RolloutPlanStatus | undefined, more: object = {}): KubeObject {
  return {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutPlan',
    metadata: {
      name: `cloneset-${name}`,
      namespace: 'shop',
      generation: 1,
      creationTimestamp: ago(300),
    },
    spec: {
      target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name },
      digest: DIGEST,
      attempt: 2,
      steps: [
        { id: 'batch-1', update: { to: '5%', atLeast: 1, window: { maxUnavailable: 1, maxSurge: '10%' } } },
        { id: 'approve-1', approve: {}, timeout: '1h' },
        { id: 'soak-1', soak: { for: '10m' } },
        { id: 'check-1', check: { use: 'errors', for: '2m' } },
        { id: 'approve-2', approve: {} },
        { id: 'batch-2', update: { to: '100%' } },
      ],
      ...more,
    },
    ...(status !== undefined && { status: { observedGeneration: 1, digest: DIGEST, ...status } }),
  };
}

export function pod(name: string, hash: string, status: object, meta: object = {}): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'shop',
      labels: { 'controller-revision-hash': hash },
      ownerReferences: [
        { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web', uid: 'web', controller: true },
      ],
      creationTimestamp: ago(600),
      ...meta,
    },
    spec: { nodeName: 'node-1', containers: [] },
    status: { phase: 'Running', ...status },
  };
}

export const ready = { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: ago(60) }] };
export const held = (reason: string, message: string): object => ({
  conditions: [{ type: 'plan.kruise.io/Held', status: 'True', reason, message }],
});
export const is = (type: string, reason: string): { type: string; status: 'True'; reason: string } => ({
  type,
  status: 'True',
  reason,
});
export const asking = plan('web', {
  phase: 'AwaitingApproval',
  step: 'approve-1',
  steps: '2/6',
  message: `waits for approval: kruise approve CloneSet/web -n shop --step approve-1 --digest ${DIGEST}`,
  conditions: [is('Ready', 'AwaitingApproval')],
});
export const hostile = 'ok\u001b[2J\n\u202egone';

export function statusObjects(parts: Partial<StatusObjects>): StatusObjects {
  return { targets: [], plans: [], pods: [], events: [], ...parts };
}

export const running = plan('web', { phase: 'Running', conditions: [is('Reconciling', 'Running')] });
