import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../semantics/pod/types.ts';
import { missedPods } from '../../../semantics/sidecarset/missed.ts';
import { normalizeSidecarSet } from '../../../semantics/sidecarset/normalize.ts';

const target = (paused: boolean) => ({
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'SidecarSet',
  metadata: { name: 'log', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    containers: [{ name: 'log', image: 'log:1' }],
    injectionStrategy: { paused },
  },
});

/** What is cached of a pod that is too large, or of one without sidecars. */
const pod = (namespace: string, containers: Pod['spec']['containers']): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace, name: 'web', creationTimestamp: '2026-01-02T00:00:00Z' },
  spec: { containers },
});

describe('pods that a set has missed', () => {
  const whole = [{ name: 'main', image: 'main:1' }];
  test.each([
    ['one without sidecars', false, pod('shop', whole), 1],
    ['one without sidecars, while injection is paused', true, pod('shop', whole), 0],
    ['one that is too large', false, pod('shop', []), 1],
    ['one that is too large, while injection is paused', true, pod('shop', []), 1],
    ['one in a namespace without injection', false, pod('kube-system', whole), 0],
    ['one where an engine writes plans', false, pod('argocd', whole), 0],
    ['one there that is too large', false, pod('kube-system', []), 0],
    ['one there that is too large, while injection is paused', true, pod('kube-system', []), 0],
  ])('%s', (_, paused, each, count) => {
    const set = target(paused);
    expect(missedPods(set, normalizeSidecarSet(set), [each])).toHaveLength(count);
  });
});
