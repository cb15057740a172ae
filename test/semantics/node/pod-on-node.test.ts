import { expect, test } from 'vitest';
import { podOnNode } from '../../../semantics/node/pod-on-node.ts';
import type { Pod } from '../../../semantics/pod/types.ts';

const AT = '2026-01-02T03:04:05Z';

/** A pod whose application and sidecar have restarted so often, with what updaters have put on record. */
function pod(app: number, proxy: number, annotations: Record<string, object> = {}): Pod {
  const texts = Object.entries(annotations).map(([key, value]) => [key, JSON.stringify(value)] as const);
  const status = (name: string, restartCount: number) => ({
    name,
    restartCount,
    ready: true,
    imageID: 'sha256:bb',
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'shop', annotations: Object.fromEntries(texts) },
    spec: {
      nodeName: 'node-1',
      containers: ['app', 'proxy'].map((name) => ({ name, image: `${name}:2` })),
    },
    status: { phase: 'Running', containerStatuses: [status('app', app), status('proxy', proxy)] },
  };
}

const byOwner = {
  'apps.kruise.io/inplace-update-state': {
    revision: 'web-2',
    updateTimestamp: AT,
    lastContainerStatuses: { app: { imageID: 'sha256:aa' } },
    restartCounts: { app: 3, proxy: 0 },
  },
};
const bySet = {
  'kruise.io/sidecarset-inplace-update-state': {
    mesh: {
      updateTimestamp: '2026-01-01T00:00:00Z',
      lastContainerStatuses: { proxy: { imageID: 'sha256:aa' } },
      restartCounts: { proxy: 2 },
      changed: ['proxy'],
    },
  },
  'kruise.io/sidecarset-hash': { mesh: { hash: 'x', updateTimestamp: AT } },
};

test.each([
  ['crashes alone', pod(3, 2), 5, 0],
  ['an update in place by its owner', pod(4, 0, byOwner), 0, Date.parse(AT)],
  ['a crash after it', pod(5, 0, byOwner), 1, Date.parse(AT)],
  ['an update of a sidecar by its set', pod(0, 3, bySet), 0, Date.parse(AT)],
  ['both, and a crash of the sidecar', pod(4, 4, { ...byOwner, ...bySet }), 1, Date.parse(AT)],
])('restarts that planned writes have caused do not count: %s', (_what, object, restarts, changedAt) => {
  expect(podOnNode(object, { text: (text) => text })).toMatchObject({ restarts, changedAt });
});
