import { describe, expect, test } from 'vitest';
import { createRetention } from '../../runtime/observe/retention.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';

const KIB = 1024;
const limits = { object: 100 * KIB, namespace: 200 * KIB, total: 400 * KIB, reserve: 160 * KIB };

/** As a server returns it: no two share any part. */
function targetOf(metadata: Readonly<Record<string, unknown>> = {}, fields: JsonObject = {}): KubeObject {
  const object = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'SidecarSet',
    metadata: {
      ...{ name: 'log', uid: '1', generation: 2 },
      ...{ labels: { app: 'log' }, annotations: { note: 'mine' } },
      ...metadata,
    },
    spec: { selector: { matchLabels: { app: 'web' } } },
    ...fields,
  };
  return JSON.parse(JSON.stringify(object)) as KubeObject;
}

describe('an observed target and its state before', () => {
  const { keep } = createRetention(() => true, limits);
  const before = keep(targetOf());

  test('share what a write of the status leaves', () => {
    const after = keep(targetOf({ resourceVersion: '9' }, { status: { updatedPods: 1 } }), before);
    expect(after['spec']).toBe(before['spec']);
    expect(after.metadata.labels).toBe(before.metadata.labels);
    expect(after.metadata.annotations).toBe(before.metadata.annotations);
    expect(after).toEqual(targetOf({ resourceVersion: '9' }, { status: { updatedPods: 1 } }));
  });

  const selector = { matchLabels: { app: 'web' } };
  test.each<[what: string, metadata: Readonly<Record<string, unknown>>, fields: JsonObject]>([
    ['labels', { labels: { app: 'other' } }, {}],
    ['annotations', { annotations: { note: 'yours' } }, {}],
    ['labels, which are none', { labels: undefined }, {}],
    ['content', { generation: 3 }, { spec: { selector, paused: true } }],
    [
      'content in one generation, by a default of another definition',
      {},
      { spec: { selector, paused: false } },
    ],
  ])('share what is equal alone: it has other %s', (_what, metadata, fields) => {
    const after = keep(targetOf(metadata, fields), before);
    expect(after).toEqual(targetOf(metadata, fields));
    expect(after['spec'] === before['spec']).toBe(fields['spec'] === undefined);
  });

  test('share no part of a spec where only a stub was kept, which has a part of the spec', () => {
    const retention = createRetention(() => true, limits);
    const bare = { labels: undefined, annotations: undefined };
    const wanted = targetOf(bare, { spec: { replicas: 3, paused: true } });
    const stub = retention.keep({ ...wanted, status: { text: 'x'.repeat(200 * KIB) } });
    expect([retention.oversized(stub)?.limit, stub['spec']]).toEqual(['object', { replicas: 3 }]);
    expect(retention.keep(structuredClone(wanted), stub)).toEqual(wanted);
  });
});
