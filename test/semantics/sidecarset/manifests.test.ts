import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { setConflicts } from '../../../semantics/sidecarset/conflicts.ts';
import { invalidSetChange, invalidSidecarSet, podOfSet } from '../../../semantics/sidecarset/invalid.ts';
import { selectorsOverlap } from '../../../semantics/values/selector-overlap.ts';
import type { LabelSelector } from '../../../semantics/values/selector.ts';
import { setOf, sidecar } from './model.ts';

const pathsOf = (faults: readonly { path: string[] }[]): string[] => faults.map(({ path }) => path.join('.'));
const withSidecar = (fields: JsonObject, more: JsonObject = {}): KubeObject =>
  setOf('s', { containers: [sidecar('a', fields)], ...more });
const canary = (base: string, spec: JsonObject, name = 's'): KubeObject =>
  setOf(name, spec, {
    annotations: { 'apps.kruise.io/sidecarset-canary': 'true', 'apps.kruise.io/sidecarset-base': base },
  });
const policy = (fields: JsonObject): JsonObject => ({
  resourcesPolicy: { targetContainersMode: 'sum', resourcesExpr: { limits: { cpu: 'cpu' } }, ...fields },
});
const expressions = (limits: JsonObject): JsonObject => policy({ resourcesExpr: { limits } });
const native = { restartPolicy: 'Always' };
const hot = (image?: string): JsonObject => ({
  upgradeStrategy: { upgradeType: 'HotUpgrade', ...(image !== undefined && { hotUpgradeEmptyImage: image }) },
});
const sourceOf = (fieldRef: JsonObject | undefined): JsonObject => ({
  transferEnv: [{ sourceContainerNameFrom: fieldRef === undefined ? {} : { fieldRef }, envName: 'A' }],
});
const labels = { matchLabels: { a: 'b' } };

const UPDATE = 'spec.updateStrategy';
const FIRST = 'spec.containers.0';
/** Rules of every kind: selectors, priorities, and annotations of the object itself. */
const SHARED = /^metadata\.annotations$|elector\.match|priorityStrategy/;
const REF = `${FIRST}.transferEnv.0.sourceContainerNameFrom.fieldRef`;

const variable = (name: string, value: string): JsonObject => ({ env: [{ name, value }] });

describe('what admission refuses (OpenKruise sidecarset, 7.2)', () => {
  test.each<[what: string, set: KubeObject, paths: string[]]>([
    ['nothing', setOf('s'), []],
    ['a dot in the name', setOf('a.b'), ['metadata.name']],
    ['64 characters', setOf('n'.repeat(64)), ['metadata.name']],
    [
      'a record of plans',
      setOf('s', {}, { annotations: { 'plan.kruise.io/x': '' } }),
      ['metadata.annotations'],
    ],
    ['no selector', setOf('s', { selector: {} }), ['spec.selector']],
    [
      'a wrong selector',
      setOf('s', { selector: { matchLabels: { a: '!' } } }),
      ['spec.selector.matchLabels.a'],
    ],
    ['an empty namespace selector', setOf('s', { namespaceSelector: {} }), ['spec.namespaceSelector']],
    ['no container', setOf('s', { containers: [] }), ['spec.containers']],
    ['init containers alone', setOf('s', { initContainers: [sidecar('a')] }), []],
    [
      'its own canary (SS-50)',
      canary('s', { updateStrategy: { type: 'NotUpdate' } }),
      ['metadata.annotations.apps.kruise.io/sidecarset-base'],
    ],
    ['a canary that updates pods (SS-50)', canary('b', {}), [`${UPDATE}.type`]],
    ['a canary', canary('b', { updateStrategy: { type: 'NotUpdate' } }), []],
    [
      'a native sidecar that is updated (SS-51)',
      setOf('s', { initContainers: [sidecar('a', native)] }),
      [`${UPDATE}.type`],
    ],
    [
      'a native sidecar that is not (SS-51)',
      setOf('s', { initContainers: [sidecar('a', native)], updateStrategy: { type: 'NotUpdate' } }),
      [],
    ],
    [
      'a partition beside a selector (SS-34)',
      setOf('s', { updateStrategy: { selector: labels, partition: 1 } }),
      [`${UPDATE}.partition`],
    ],
    [
      '0% beside a selector',
      setOf('s', { updateStrategy: { selector: labels, partition: '0%' } }),
      [`${UPDATE}.partition`],
    ],
    ['0 beside a selector (SS-34)', setOf('s', { updateStrategy: { selector: labels, partition: 0 } }), []],
    ['an empty update selector', setOf('s', { updateStrategy: { selector: {} } }), [`${UPDATE}.selector`]],
    [
      'a scatter term twice',
      setOf('s', {
        updateStrategy: {
          scatterStrategy: [
            { key: 'a', value: 'b' },
            { key: 'a', value: 'b' },
          ],
        },
      }),
      [`${UPDATE}.scatterStrategy.1`],
    ],
    [
      'weights and an order',
      setOf('s', {
        updateStrategy: {
          priorityStrategy: {
            weightPriority: [{ weight: 1, matchSelector: labels }],
            orderPriority: [{ orderedKey: 'k' }],
          },
        },
      }),
      [`${UPDATE}.priorityStrategy`],
    ],
    [
      'a revision without a name',
      setOf('s', { injectionStrategy: { revision: { policy: 'Partial' } } }),
      ['spec.injectionStrategy.revision'],
    ],
    [
      'no annotations',
      setOf('s', { patchPodMetadata: [{ annotations: {} }] }),
      ['spec.patchPodMetadata.0.annotations'],
    ],
    [
      'one annotation twice',
      setOf('s', { patchPodMetadata: [{ annotations: { k: '1' } }, { annotations: { k: '2' } }] }),
      ['spec.patchPodMetadata.1.annotations.k'],
    ],
    [
      'a key of controllers',
      setOf('s', { patchPodMetadata: [{ annotations: { 'kruise.io/sidecarset-hash': '{}' } }] }),
      ['spec.patchPodMetadata.0.annotations.kruise.io/sidecarset-hash'],
    ],
    [
      'a key of a user below a domain of controllers',
      setOf('s', {
        patchPodMetadata: [{ annotations: { 'sidecarset.kruise.io/x': '1', 'apps.kruise.io/team': 'a' } }],
      }),
      [],
    ],
    [
      'text that is merged and no JSON',
      setOf('s', { patchPodMetadata: [{ annotations: { k: '{' }, patchPolicy: 'MergePatchJson' }] }),
      ['spec.patchPodMetadata.0.annotations.k'],
    ],
    ['a label', withSidecar(sourceOf({ fieldPath: "metadata.labels['k']" })), []],
    ['metadata.name (SS-12)', withSidecar(sourceOf({ fieldPath: 'metadata.name' })), [`${REF}.fieldPath`]],
    [
      'another version of fields',
      withSidecar(sourceOf({ apiVersion: 'v2', fieldPath: "metadata.labels['k']" })),
      [`${REF}.apiVersion`],
    ],
    ['a source without a field', withSidecar(sourceOf(undefined)), [REF]],
    [
      'resources beside a policy',
      withSidecar({ ...policy({}), resources: { limits: { cpu: '1' } } }),
      [`${FIRST}.resourcesPolicy`],
    ],
    [
      'an empty pattern',
      withSidecar(policy({ targetContainersNameRegex: '' })),
      [`${FIRST}.resourcesPolicy.targetContainersNameRegex`],
    ],
    [
      'a pattern that Go does not have',
      withSidecar(policy({ targetContainersNameRegex: '(?=a)' })),
      [`${FIRST}.resourcesPolicy.targetContainersNameRegex`],
    ],
    [
      'no expressions',
      withSidecar(policy({ resourcesExpr: {} })),
      [`${FIRST}.resourcesPolicy.resourcesExpr`],
    ],
    [
      'memory - 100Mi (SS-23)',
      withSidecar(expressions({ memory: 'memory - 100Mi' })),
      [`${FIRST}.resourcesPolicy.resourcesExpr.limits.memory`],
    ],
    ['max(memory-100Mi, 50Mi)', withSidecar(expressions({ memory: 'max(memory-100Mi, 50Mi)' })), []],
    ['cpu*cpu', withSidecar(expressions({ cpu: 'cpu*cpu' })), []],
    [
      'a policy on an init container that ends',
      setOf('s', { initContainers: [sidecar('a', policy({}))] }),
      ['spec.initContainers.0.resourcesPolicy'],
    ],
    ['a hot pair', withSidecar(hot('empty:1')), []],
    [
      'a hot pair without an empty image',
      withSidecar(hot()),
      [`${FIRST}.upgradeStrategy.hotUpgradeEmptyImage`],
    ],
    [
      'a hot pair whose halves have one image',
      withSidecar(hot('a:1')),
      [`${FIRST}.upgradeStrategy.hotUpgradeEmptyImage`],
    ],
    [
      'a hot pair with a long name',
      setOf('s', { containers: [sidecar('n'.repeat(62), hot('e'))] }),
      [`${FIRST}.name`],
    ],
    [
      'a half of a pair',
      setOf('s', { containers: [sidecar('a', hot('e')), sidecar('a-2')] }),
      [`${FIRST}.name`],
    ],
    [
      'a hot init container that ends',
      setOf('s', { initContainers: [sidecar('a', hot('e'))] }),
      ['spec.initContainers.0.upgradeStrategy.upgradeType'],
    ],
    ['a launch priority', withSidecar(variable('KRUISE_CONTAINER_PRIORITY', '-10')), []],
    [
      'a launch priority that is no number (LP-6)',
      withSidecar(variable('KRUISE_CONTAINER_PRIORITY', 'first')),
      [`${FIRST}.env.0.value`],
    ],
    ['a barrier (LP-17)', withSidecar(variable('KRUISE_CONTAINER_BARRIER', 'x')), [`${FIRST}.env.0.name`]],
  ])('%s', (_what, set, paths) => {
    const found = invalidSidecarSet(set);
    expect(pathsOf(found)).toEqual(paths);
    // What other kinds have, too, is explained by its rule.
    const own = found.filter(({ path }) => !SHARED.test(path.join('.')));
    expect(own.filter(({ help }) => help === undefined)).toEqual([]);
  });
});

test('the pod of a set has its containers at their paths, without the fields of a set', () => {
  expect(podOfSet(setOf('s', { containers: [sidecar('a', hot('e'))], volumes: [{ name: 'v' }] }))).toEqual({
    spec: { containers: [sidecar('a')], volumes: [{ name: 'v' }] },
  });
  expect(podOfSet(setOf('s', { initContainers: [sidecar('a')] }))).toMatchObject({
    spec: { initContainers: [sidecar('a')], containers: [{}] },
  });
});

test('the records of sidecars are no annotations for a set to write', () => {
  const annotations = { 'version.sidecarset.kruise.io/a-1': '7' };
  expect(pathsOf(invalidSidecarSet(setOf('s', { patchPodMetadata: [{ annotations }] })))).toHaveLength(1);
});

describe('what a change must leave (OpenKruise sidecarset, 7.2)', () => {
  test.each<[what: string, before: KubeObject, after: KubeObject, paths: string[]]>([
    [
      'from Cold to Hot (SS-42)',
      setOf('s', { containers: [sidecar('a')] }),
      withSidecar(hot('e')),
      [`${FIRST}.upgradeStrategy.upgradeType`],
    ],
    ['Hot for a new container', setOf('s', { containers: [sidecar('b')] }), withSidecar(hot('e')), []],
    [
      'the base (SS-50)',
      canary('a', {}),
      canary('b', {}),
      ['metadata.annotations.apps.kruise.io/sidecarset-base'],
    ],
    ['no longer a canary', canary('a', {}), setOf('s'), []],
  ])('%s', (_what, before, after, paths) => {
    expect(pathsOf(invalidSetChange(before, after))).toEqual(paths);
  });
});

describe('sets that fight', () => {
  const volume = (name: string, source: JsonObject, more: JsonObject = {}): KubeObject =>
    setOf(name, { volumes: [{ name: 'v', ...source }], ...more });
  const patch = (name: string, patchPolicy: string): KubeObject =>
    setOf(name, { patchPodMetadata: [{ annotations: { k: '{}' }, patchPolicy }] });
  const log = (name: string, more: JsonObject = {}): KubeObject =>
    setOf(name, { containers: [sidecar('log')], ...more });
  const of = (key: string, value: string): JsonObject => ({ selector: { matchLabels: { [key]: value } } });
  const teamOf = (team: string): JsonObject => ({ namespaceSelector: { matchLabels: { team } } });

  test.each<[what: string, sets: KubeObject[], conflicts: string[]]>([
    ['one container', [log('a'), log('b')], ['b: container log of a']],
    ['whatever their order', [log('b'), log('a')], ['b: container log of a']],
    ['disjoint selectors (SS-17)', [log('a', of('a', 'b')), log('b', of('a', 'c'))], []],
    ['other keys overlap', [log('a', of('a', 'b')), log('b', of('c', 'd'))], ['b: container log of a']],
    ['disjoint namespaces', [log('a', teamOf('a')), log('b', teamOf('b'))], []],
    [
      'namespaces in both versions',
      [log('a', { namespace: 'x' }), log('b', { namespace: 'x' })],
      ['b: container log of a'],
    ],
    [
      'init containers',
      ['a', 'b'].map((name) => setOf(name, { initContainers: [sidecar('i')] })),
      ['b: init container i of a'],
    ],
    [
      'an init container and a container are not compared',
      [setOf('a', { initContainers: [sidecar('log')] }), log('b')],
      [],
    ],
    [
      'a half of a pair',
      [setOf('a', { containers: [sidecar('x', hot('e'))] }), setOf('b', { containers: [sidecar('x-2')] })],
      ['b: container x-2 of a'],
    ],
    [
      'different volumes (SS-16)',
      [volume('a', { emptyDir: {} }), volume('b', { hostPath: { path: '/' } })],
      ['b: volume v of a'],
    ],
    ['equal volumes (SS-16)', [volume('a', { emptyDir: {} }), volume('b', { emptyDir: {} })], []],
    ['Overwrite twice', [patch('a', 'Overwrite'), patch('b', 'Overwrite')], ['b: annotation k of a']],
    [
      'Overwrite and merge',
      [patch('a', 'MergePatchJson'), patch('b', 'Overwrite')],
      ['b: annotation k of a'],
    ],
    ['merge twice', [patch('a', 'MergePatchJson'), patch('b', 'MergePatchJson')], []],
    ['Retain and Overwrite', [patch('a', 'Retain'), patch('b', 'Overwrite')], []],
    ['a canary and its base', [log('b'), canary('b', { containers: [sidecar('log')] })], []],
    ['a canary before its base', [log('b'), canary('b', { containers: [sidecar('log')] }, 'a')], []],
    [
      'two canaries',
      [
        canary('b', { containers: [sidecar('log')] }, 'c'),
        canary('b', { containers: [sidecar('log')] }, 'd'),
      ],
      ['d: container log of c'],
    ],
  ])('%s', (_what, sets, conflicts) => {
    const nameOf = (index: number): string => sets[index]?.metadata.name ?? '';
    expect(
      setConflicts(sets).map(
        (each) => `${nameOf(each.index)}: ${each.what} ${each.name} of ${nameOf(each.other)}`,
      ),
    ).toEqual(conflicts);
  });

  test('a canary of a canary (SS-50)', () => {
    const sets = [
      setOf('a', { containers: [sidecar('x')] }),
      canary('a', { containers: [sidecar('x')] }, 'b'),
      canary('b', { containers: [sidecar('y')] }, 'c'),
    ];
    expect(setConflicts(sets)).toMatchObject([{ index: 2, other: 1, name: 'b' }]);
  });
});

describe('whether selectors overlap', () => {
  const term = (operator: string, ...values: string[]): LabelSelector => ({
    matchExpressions: [{ key: 'k', operator, ...(values.length > 0 && { values }) }],
  });
  test.each<[a: LabelSelector | undefined, b: LabelSelector | undefined, overlap: boolean]>([
    [undefined, { matchLabels: { k: 'a' } }, true],
    [{ matchLabels: { k: 'a' } }, { matchLabels: { k: 'a' } }, true],
    [{ matchLabels: { k: 'a' } }, { matchLabels: { k: 'b' } }, false],
    [term('In', 'a', 'b'), term('In', 'b', 'c'), true],
    [term('In', 'a', 'b'), term('NotIn', 'a', 'b'), false],
    [term('In', 'a', 'b'), term('NotIn', 'a'), true],
    [term('DoesNotExist'), term('In', 'a'), false],
    [term('DoesNotExist'), term('Exists'), false],
    [term('DoesNotExist'), term('NotIn', 'a'), true],
    [term('Exists'), term('NotIn', 'a'), true],
    [term('Exists'), { matchLabels: { other: 'x' } }, true],
    [term('In'), undefined, false],
  ])('%j and %j: %s', (a, b, overlap) => {
    expect(selectorsOverlap(a, b)).toBe(overlap);
    expect(selectorsOverlap(b, a)).toBe(overlap);
  });
});
