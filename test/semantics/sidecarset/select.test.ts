import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { hashesOf, setHashes } from '../../../semantics/sidecarset/hash.ts';
import { normalizeSidecarSet } from '../../../semantics/sidecarset/normalize.ts';
import { objectOf, textOf } from '../../../semantics/values/read.ts';
import { containerIn, injectedPod, injection, namesIn, podOf, setOf, sidecar } from './model.ts';

const NAME = 'kubernetes.io/metadata.name';

describe('which sets are injected (OpenKruise sidecarset, 6.1)', () => {
  const inTeam = { namespaceSelector: { matchLabels: { team: 'a' } } };
  test.each<[what: string, spec: JsonObject, labels: Record<string, string> | undefined, reason: string]>([
    ['the labels of the pod match', {}, {}, ''],
    ['other labels (SS-1)', { selector: { matchLabels: { app: 'db' } } }, {}, 'Selector'],
    ['an empty selector matches nothing', { selector: {} }, {}, 'Selector'],
    ['paused (SS-5)', { injectionStrategy: { paused: true } }, {}, 'Paused'],
    ['a namespace without the label (SS-6)', inTeam, { team: 'b' }, 'Namespace'],
    ['a namespace with the label (SS-6)', inTeam, { team: 'a' }, ''],
    ['a namespace that was not found', inTeam, undefined, 'Namespace'],
    ['no namespace selector, and no namespace', {}, undefined, ''],
    ['the only namespace of v1alpha1 (SS-7)', { namespace: 'shop' }, { [NAME]: 'shop' }, ''],
    ['another namespace of v1alpha1 (SS-7)', { namespace: 'bank' }, { [NAME]: 'shop' }, 'Namespace'],
    ['namespace before namespaceSelector (SS-8)', { namespace: 'shop', ...inTeam }, { [NAME]: 'shop' }, ''],
  ])('%s', (_what, spec, labels, reason) => {
    const result = injection([setOf('s', spec)], { namespace: { name: 'shop', labels } });
    if ('refused' in result) throw new Error(result.refused);
    expect(result.skipped.map((each) => each.reason).join()).toBe(reason);
    if (reason === '') expect(namesIn(result.pod, 'containers')).toBe('s,nginx');
    else expect(result.pod).toEqual(podOf());
  });

  test.each<[what: string, pod: KubeObject]>([
    ['has ended', { ...podOf(), status: { phase: 'Succeeded' } }],
    ['has failed', { ...podOf(), status: { phase: 'Failed' } }],
    ['is being deleted', podOf({}, { deletionTimestamp: '2026-01-01T00:00:00Z' })],
    ['mirrors a static pod', podOf({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } })],
  ])('a pod that %s stays as it is', (_what, pod) => {
    expect(injectedPod([setOf('s')], { pod })).toBe(pod);
  });
});

describe('both versions are one (SS-7, SS-8, SS-9)', () => {
  test('namespace is a namespace selector', () => {
    expect(normalizeSidecarSet(setOf('s', { namespace: 'n' })).namespaceSelector).toEqual({
      matchLabels: { [NAME]: 'n' },
    });
  });

  test.each([
    ['the label', {}, { labels: { 'apps.kruise.io/sidecarset-custom-version': 'v1' } }],
    ['the field', { customVersion: 'v1' }, {}],
  ])('the custom version of %s', (_what, spec, metadata) => {
    expect(normalizeSidecarSet(setOf('s', spec, metadata)).customVersion).toBe('v1');
  });
});

describe('the revision that is injected (OpenKruise sidecarset, 6.4)', () => {
  const revision = (name: string, image: string, version: string, number: number): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      labels: {
        'kruise.io/sidecarset-name': 's',
        'apps.kruise.io/sidecarset-custom-version': version,
      },
      annotations: { 'plan.kruise.io/complete': String(number) },
    },
    revision: number,
    data: { spec: { containers: [sidecar('s', { image })], initContainers: null, volumes: null } },
  });
  const revisions = [
    revision('s-1', 's:old', 'v1', 1),
    revision('s-2', 's:older', 'v1', 2),
    { ...revision('t-1', 't:1', 'v1', 9), metadata: { name: 't-1', labels: {} } },
  ];
  const imageOf = (
    spec: JsonObject,
    labels: Record<string, string> = {},
    requestId = '0',
    published: [string, string][] = [],
  ): string => {
    const pod = podOf({}, { labels: { app: 'web', ...labels } });
    const result = injection([setOf('s', spec)], {
      pod,
      revisions,
      requestId,
      published: new Map(
        published.map(([set, name]) => [set, { is: 'revision', name, within: undefined } as const]),
      ),
    });
    return 'refused' in result ? result.refused : textOf(containerIn(result.pod, 's')['image']);
  };
  const pin = (revisionOf: JsonObject, updateStrategy: JsonObject = {}): JsonObject => ({
    injectionStrategy: { revision: revisionOf },
    updateStrategy,
  });
  const partial = { revisionName: 's-1', policy: 'Partial' };
  const gold = { selector: { matchLabels: { tier: 'gold' } } };

  test.each<[what: string, spec: JsonObject, labels: Record<string, string>, image: string]>([
    ['none is pinned', {}, {}, 's:1'],
    ['one by name', pin({ revisionName: 's-1' }), {}, 's:old'],
    ['the newest of a custom version (SS-45)', pin({ customVersion: 'v1' }), {}, 's:older'],
    ['the name before the version', pin({ revisionName: 's-1', customVersion: 'v1' }), {}, 's:old'],
    ['Partial, not selected (SS-46)', pin(partial, gold), {}, 's:old'],
    ['Partial, selected (SS-46)', pin(partial, gold), { tier: 'gold' }, 's:1'],
    ['Partial, partition 100% (SS-46)', pin(partial, { partition: '100%' }), {}, 's:old'],
    ['Partial, partition 0% (SS-46)', pin(partial, { partition: '0%' }), {}, 's:1'],
    ['Partial, partition as a number', pin(partial, { partition: 5 }), {}, 's:1'],
    ['paused and Partial (SS-47)', pin(partial, { ...gold, paused: true }), { tier: 'gold' }, 's:old'],
    [
      'one that does not exist (SS-48)',
      pin({ revisionName: 's-9' }),
      {},
      'SidecarSet s cannot be injected: spec.injectionStrategy.revision pins the revision s-9, which does not exist, so that every pod that the set selects is refused; pin one that exists (s-2 or s-1), or remove the field',
    ],
    [
      'one of another set',
      pin({ revisionName: 't-1' }),
      {},
      'SidecarSet s cannot be injected: spec.injectionStrategy.revision pins the revision t-1, which does not exist, so that every pod that the set selects is refused; pin one that exists (s-2 or s-1), or remove the field',
    ],
  ])('%s', (_what, spec, labels, image) => {
    expect(imageOf(spec, labels)).toBe(image);
  });

  test('a percentage is a share of new pods, and one request gets one answer', () => {
    const spec = pin(partial, { partition: '30%' });
    const images = Array.from({ length: 1000 }, (_, n) => imageOf(spec, {}, `uid-${n}`));
    const share = images.filter((image) => image === 's:old').length;
    expect(share).toBeGreaterThan(250);
    expect(share).toBeLessThan(350);
    expect(imageOf(spec, {}, 'uid-7')).toBe(images[7]);
  });

  test('a plan gives its revision to new pods; what git pins outranks it', () => {
    expect(imageOf({}, {}, '0', [['s', 's-2']])).toBe('s:older');
    expect(imageOf(pin({ revisionName: 's-1' }), {}, '0', [['s', 's-2']])).toBe('s:old');
    expect(imageOf({}, {}, '0', [['s', 's-9']])).toContain('the revision s-9');
  });

  test('the annotation names the revision, with its hashes (SS-45)', () => {
    const set = setOf('s', { ...pin({ revisionName: 's-1' }), volumes: [{ name: 'v' }] });
    const { annotations = {} } = injectedPod([set], { revisions }).metadata;
    const entry: unknown = JSON.parse(annotations['kruise.io/sidecarset-hash'] ?? '');
    expect(entry).toMatchObject({
      s: {
        controllerRevision: 's-1',
        hash: setHashes({ containers: [sidecar('s', { image: 's:old' })] }).hash,
      },
    });
    const marked = revisions.map((each) => ({
      ...each,
      metadata: {
        ...each.metadata,
        annotations: { ...each.metadata.annotations, 'kruise.io/sidecarset-hash': 'written' },
      },
    }));
    expect(
      injectedPod([set], { revisions: marked }).metadata.annotations?.['kruise.io/sidecarset-hash'],
    ).toContain('"hash":"written"');
  });

  test('a revision without containers has none of the present ones', () => {
    const empty = { ...revision('s-3', '', 'v3', 3), data: { spec: { containers: null } } };
    const set = setOf('s', pin({ revisionName: 's-3' }));
    const pod = injectedPod([set], { revisions: [empty] });
    expect(namesIn(pod, 'containers')).toBe('nginx');
    expect(
      objectOf(JSON.parse(pod.metadata.annotations?.['kruise.io/sidecarset-hash'] ?? ''))['s'],
    ).toMatchObject({ hash: hashesOf({}).hash, sidecarList: [] });
  });
});
