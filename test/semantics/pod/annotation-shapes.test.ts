import { describe, expect, test } from 'vitest';
import { readGrace, readInPlaceState, readMetadataPatch } from '../../../semantics/pod/annotation-shapes.ts';

const state = { revision: 'web-77b5', updateTimestamp: '2026-01-01T00:00:00Z', lastContainerStatuses: null };
const batch = { timestamp: '2026-01-01T00:00:00Z', containers: ['main'] };
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

describe('the state of an update in place', () => {
  test('as OpenKruise and this project write it', () => {
    const whole = {
      ...state,
      lastContainerStatuses: { main: { imageID: 'sha256:1' }, side: {} },
      updateImages: true,
      restartCounts: { main: 1 },
      containerBatchesRecord: [batch],
      nextContainerRefMetadata: { main: { creationTimestamp: null, labels: { a: 'b' } } },
      anotherField: 5,
    };
    expect(readInPlaceState(JSON.stringify(whole))).toEqual(whole);
  });

  test('null values of Go count as absent', () => {
    const text = JSON.stringify({
      ...state,
      nextContainerImages: null,
      containerBatchesRecord: [{ timestamp: null, containers: null }],
    });
    const read = { ...state, containerBatchesRecord: [{ timestamp: '', containers: [] }] };
    expect(readInPlaceState(text)).toEqual(read);
  });

  test.each([
    ['', '{', 'null', '[]', '5', '{}'],
    [{ revision: {} }, { updateTimestamp: 5 }, { lastContainerStatuses: [] }, { updateImages: 'yes' }],
    [{ lastContainerStatuses: { main: null } }, { lastContainerStatuses: { main: { imageID: 5 } } }],
    [{ restartCounts: { main: '1' } }, { restartCounts: { main: -1 } }, { unsettled: { main: 1e300 } }],
    [{ containerBatchesRecord: 5 }, { containerBatchesRecord: [null] }],
    [{ containerBatchesRecord: [{ ...batch, containers: [5] }] }, { nextContainerImages: ['web:2'] }],
    [{ nextContainerImages: { main: {} } }, { nextContainerRefMetadata: { main: { labels: 5 } } }],
    [{ nextContainerResources: { main: 5 } }, { preCheckBeforeNext: 5 }],
    [{ preCheckBeforeNext: { containersRequiredReady: 'main' } }],
  ])('a value of another type is none: %j', (...odd) => {
    for (const each of odd)
      expect(readInPlaceState(typeof each === 'string' ? each : JSON.stringify({ ...state, ...each }))).toBe(
        undefined,
      );
  });
});

test.each([
  { revision: 5 },
  { graceSeconds: '5' },
  { graceSeconds: -1 },
  { graceSeconds: 1e300 },
  { containerImages: [] },
  { containerRefMetadata: { main: 5 } },
  { containerResources: { main: 5 } },
  { metaDataPatch: {} },
])('a grace period of another type is invalid: %j', (odd) => {
  expect(readGrace(JSON.stringify({ revision: 'web-77b5' }))).toEqual({ revision: 'web-77b5' });
  expect(readGrace(JSON.stringify({ revision: 'web-77b5', ...odd }))).toBeUndefined();
});

describe('the metadata that OpenKruise has deferred', () => {
  const metadata = { labels: { a: 'b', c: null }, annotations: { d: 'e' }, finalizers: ['x/y'] };

  test.each([metadata, { metadata }])('labels, annotations and finalizers: %j', (patch) => {
    expect(readMetadataPatch(base64(patch))).toEqual(metadata);
  });

  test('nothing else: a version or an owner would replace that of the patch', () => {
    const more = { ...metadata, uid: 'x', resourceVersion: '1', ownerReferences: [] };
    expect(readMetadataPatch(base64({ metadata: more }))).toEqual(metadata);
  });

  test.each([
    '%%%',
    base64(null),
    base64([]),
    base64({ metadata: 5 }),
    base64({ labels: { a: 5 } }),
    base64({ finalizers: {} }),
  ])('%s is invalid', (text) => {
    expect(readMetadataPatch(text)).toBeUndefined();
  });
});
