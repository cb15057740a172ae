import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import {
  after,
  containerIn,
  envOf,
  injectedPod,
  injection,
  mountsOf,
  namesIn,
  nginx,
  podOf,
  setOf,
  sidecar,
  TIME,
} from './model.ts';

const HOT = { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' };
const transfer = (names: JsonObject): JsonObject => ({ sourceContainerName: 'nginx', ...names });

describe('what pods get (OpenKruise sidecarset, 6.5)', () => {
  test.each<[what: string, sets: KubeObject[], sorts: boolean, list: string, names: string]>([
    [
      'before and after (example 1, SS-2)',
      [setOf('s', { containers: [sidecar('dns'), after('log')] })],
      false,
      'containers',
      'dns,nginx,log',
    ],
    [
      'init containers by name, after those of the pod (example 1, SS-3)',
      [setOf('s', { initContainers: [sidecar('init-2'), sidecar('init-1')] })],
      false,
      'initContainers',
      'init-0,init-1,init-2',
    ],
    [
      'containers in their order (example 2)',
      [setOf('s', { containers: [sidecar('x'), sidecar('m')] })],
      false,
      'containers',
      'x,m,nginx',
    ],
    [
      'containers sorted (example 2)',
      [setOf('s', { containers: [sidecar('x'), sidecar('m')] })],
      true,
      'containers',
      'm,x,nginx',
    ],
    [
      'two sets, each block sorted over both (example 3, SS-4)',
      [
        setOf('s1', { containers: [sidecar('z'), after('b')] }),
        setOf('s2', { containers: [sidecar('a'), after('c')] }),
      ],
      true,
      'containers',
      'a,z,nginx,b,c',
    ],
    [
      'two sets by their names, whatever their order',
      [
        setOf('s2', { containers: [sidecar('a'), after('c')] }),
        setOf('s1', { containers: [sidecar('z'), after('b')] }),
      ],
      false,
      'containers',
      'z,a,nginx,b,c',
    ],
    [
      'an init container before (example 4)',
      [setOf('s', { initContainers: [sidecar('setup', { podInjectPolicy: 'BeforeAppContainer' })] })],
      false,
      'initContainers',
      'setup,init-0',
    ],
    [
      'a native sidecar (example 5, SS-51)',
      [
        setOf('s', {
          initContainers: [sidecar('proxy', { restartPolicy: 'Always' })],
          updateStrategy: { type: 'NotUpdate' },
        }),
      ],
      false,
      'initContainers',
      'init-0,proxy',
    ],
    [
      'volumes that are mounted (example 6, SS-15)',
      [
        setOf('s', {
          containers: [sidecar('a', { volumeMounts: [{ name: 'v1', mountPath: '/v' }] })],
          volumes: [
            { name: 'v1', emptyDir: {} },
            { name: 'v2', emptyDir: {} },
          ],
        }),
      ],
      false,
      'volumes',
      'va,v1',
    ],
    [
      'pull secrets of the pod first, each once (example 14, SS-18)',
      [setOf('s', { imagePullSecrets: [{ name: 's0' }, { name: 's1' }, { name: 's2' }] })],
      false,
      'imagePullSecrets',
      's2,s3,s0,s1',
    ],
    [
      'a hot pair (example 13)',
      [
        setOf('s', {
          containers: [
            sidecar('mesh', { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'e' } }),
          ],
        }),
      ],
      false,
      'containers',
      'mesh-1,mesh-2,nginx',
    ],
  ])('%s', (_what, sets, sortsContainers, list, names) => {
    expect(namesIn(injectedPod(sets, { sortsContainers }), list)).toBe(names);
  });

  test('the volume of the pod wins (example 7)', () => {
    const set = setOf('s', {
      containers: [sidecar('a', { volumeMounts: [{ name: 'va', mountPath: '/v' }] })],
      volumes: [{ name: 'va', hostPath: { path: '/x' } }],
    });
    const pod = injectedPod([set]);
    expect(pod['spec']).toMatchObject({ volumes: [{ name: 'va', emptyDir: {} }] });
    expect(namesIn(pod, 'volumes')).toBe('va');
  });

  test('shared mounts but those whose path is used (example 8, SS-13)', () => {
    const own = [
      { name: 'l', mountPath: '/logs' },
      { name: 'v1', mountPath: '/a' },
    ];
    const set = setOf('s', {
      containers: [sidecar('a', { shareVolumePolicy: { type: 'enabled' }, volumeMounts: own })],
    });
    expect(mountsOf(containerIn(injectedPod([set]), 'a'))).toBe('/logs<l,/a<v1');
  });

  test('the variables of shared sub-paths (example 9, SS-14)', () => {
    const set = setOf('s', {
      containers: [sidecar('a', { shareVolumePolicy: { type: 'enabled' } })],
    });
    const mounts: JsonObject[] = [
      { name: 'va', mountPath: '/a' },
      { name: 'va', mountPath: '/d', subPathExpr: '$(C)/$(A)/$$(B)' },
    ];
    const container = containerIn(
      injectedPod([set], { pod: podOf({ containers: [nginx({ volumeMounts: mounts })] }) }),
      'a',
    );
    expect(mountsOf(container)).toBe('/a<va,/d<va');
    expect(envOf(container)).toBe('IS_INJECTED=true,C=3,A=1');
  });

  test('transferred variables, sorted; its own stay (example 10, SS-10, SS-11)', () => {
    const set = setOf('s', {
      containers: [
        sidecar('a', {
          env: [{ name: 'A', value: 'own' }],
          transferEnv: [transfer({ envNames: ['C', 'A', 'B', 'Z'] })],
        }),
      ],
    });
    expect(envOf(containerIn(injectedPod([set]), 'a'))).toBe('A=own,IS_INJECTED=true,B=2,C=3');
  });

  test.each<[what: string, labels: Record<string, string>, env: string]>([
    ['a missing label transfers nothing (example 11)', {}, 'IS_INJECTED=true'],
    ['a label that names the container', { cName: 'nginx' }, 'IS_INJECTED=true,A=1'],
  ])('%s', (_what, labels, env) => {
    const from = { fieldRef: { fieldPath: "metadata.labels['cName']" } };
    const set = setOf('s', {
      containers: [
        sidecar('a', {
          transferEnv: [{ sourceContainerName: 'nginx', sourceContainerNameFrom: from, envName: 'A' }],
        }),
      ],
    });
    const pod = podOf({}, { labels: { app: 'web', ...labels } });
    expect(envOf(containerIn(injectedPod([set], { pod }), 'a'))).toBe(env);
  });

  test.each<[string, JsonObject, string]>([
    ['a container of the same name', { containers: [after('nginx')] }, 'container nginx'],
    ['an init container of the same name', { initContainers: [after('init-0')] }, 'init container init-0'],
    [
      'a container of the name of an init container',
      { containers: [after('init-0')] },
      'init container init-0',
    ],
    ['half of a hot pair', { containers: [sidecar('nginx', { upgradeStrategy: HOT })] }, 'container nginx-1'],
  ])('%s refuses the pod (example 12)', (_, spec, what) => {
    const pod = podOf({ containers: [nginx(), { name: 'nginx-1', image: 'mine:1' }] });
    expect(injection([setOf('s', spec)], { pod })).toEqual({
      refused: `SidecarSet s cannot be injected: the pod has the ${what} of its own`,
    });
  });

  test('a container that stands where a sidecar is meant to be is replaced at its place (example 12)', () => {
    const env = [{ name: 'IS_INJECTED', value: 'true' }];
    const pod = podOf({ containers: [nginx({ env }), { name: 'last', image: 'last:1' }] });
    const changed = injectedPod([setOf('s', { containers: [after('nginx', { image: 'mine:1' })] })], { pod });
    expect(namesIn(changed, 'containers')).toBe('nginx,last');
    expect(containerIn(changed, 'nginx')['image']).toBe('mine:1');
  });

  test('the annotations and variables of a hot pair (example 13, SS-37)', () => {
    const env = [{ name: 'OWN', value: 'x' }];
    const pod = injectedPod([setOf('s', { containers: [sidecar('mesh', { env, upgradeStrategy: HOT })] })]);
    expect(pod.metadata.annotations).toMatchObject({
      'kruise.io/sidecarset-working-hotupgrade-container': '{"mesh":"mesh-1"}',
      'version.sidecarset.kruise.io/mesh-1': '1',
      'versionalt.sidecarset.kruise.io/mesh-1': '0',
      'version.sidecarset.kruise.io/mesh-2': '0',
      'versionalt.sidecarset.kruise.io/mesh-2': '1',
    });
    expect(containerIn(pod, 'mesh-1')['image']).toBe('mesh:1');
    const second = containerIn(pod, 'mesh-2');
    expect(second['image']).toBe('empty:1');
    expect(envOf(second)).toBe('OWN=x,IS_INJECTED=true,SIDECARSET_VERSION=?,SIDECARSET_VERSION_ALT=?');
    expect(second['env']).toContainEqual({
      name: 'SIDECARSET_VERSION_ALT',
      valueFrom: {
        fieldRef: {
          apiVersion: 'v1',
          fieldPath: "metadata.annotations['versionalt.sidecarset.kruise.io/mesh-2']",
        },
      },
    });
    expect(pod.metadata.annotations?.['kruise.io/sidecarset-hash']).toContain('"sidecarList":["mesh"]');
  });

  test('a canary takes the place of its base (example 15, SS-49)', () => {
    const canary = setOf(
      'canary',
      {},
      {
        annotations: {
          'apps.kruise.io/sidecarset-canary': 'true',
          'apps.kruise.io/sidecarset-base': 'base',
        },
      },
    );
    const result = injection([setOf('base'), canary]);
    if ('refused' in result) throw new Error(result.refused);
    expect(namesIn(result.pod, 'containers')).toBe('canary,nginx');
    expect(result.pod.metadata.annotations?.['kruise.io/sidecarset-injected-list']).toBe('canary');
    expect(result.skipped).toMatchObject([{ set: 'base', reason: 'Canary' }]);
  });

  test.each<[policy: string, was: string | undefined, value: string, now: string]>([
    ['MergePatchJson', '{"main":2}', '{"log-agent":1}', '{"log-agent":1,"main":2}'],
    ['MergePatchJson', '{"main":2,"b":{"c":1}}', '{"main":null,"b":{"d":2}}', '{"b":{"c":1,"d":2}}'],
    ['MergePatchJson', undefined, '{"log-agent":1}', '{"log-agent":1}'],
    ['MergePatchJson', '', '{"log-agent":1}', '{"log-agent":1}'],
    ['Retain', 'old', 'new', 'old'],
    ['Retain', undefined, 'new', 'new'],
    ['Overwrite', 'old', 'new', 'new'],
  ])('an annotation with %s: %s and %s give %s (example 16, SS-19)', (patchPolicy, was, value, now) => {
    const set = setOf('s', { patchPodMetadata: [{ annotations: { k: value }, patchPolicy }] });
    const pod = podOf({}, was === undefined ? {} : { annotations: { k: was } });
    expect(injectedPod([set], { pod }).metadata.annotations?.['k']).toBe(now);
  });

  test.each([
    ['pod', 'not JSON', '{}', 'that of the pod'],
    ['set', '{}', 'not JSON', 'that of the set'],
  ])('text that is no JSON in the %s refuses the pod', (_where, was, value, which) => {
    const patchPodMetadata = [{ annotations: { k: value }, patchPolicy: 'MergePatchJson' }];
    const pod = podOf({}, { annotations: { k: was } });
    expect(injection([setOf('s', { patchPodMetadata })], { pod })).toEqual({
      refused: `SidecarSet s cannot be injected: the annotation k cannot be merged: ${which} is no JSON`,
    });
  });
});

describe('what is recorded on the pod (OpenKruise sidecarset, 5.2)', () => {
  const set = {
    ...setOf('s', { containers: [sidecar('b'), after('a')] }),
    status: { latestRevision: 's-1' },
  };

  test('the hashes, byte for byte, and the list', () => {
    const { annotations = {} } = injectedPod([set]).metadata;
    const hash = (key: string): string => /"hash":"([a-z0-9]{64})"/.exec(annotations[key] ?? '')?.[1] ?? '';
    const own = hash('kruise.io/sidecarset-hash');
    const imageless = hash('kruise.io/sidecarset-hash-without-image');
    expect(own).not.toBe(imageless);
    expect(annotations).toEqual({
      'kruise.io/sidecarset-hash': `{"s":{"updateTimestamp":"${TIME}","hash":"${own}","sidecarSetName":"s","sidecarList":["a","b"],"controllerRevision":"s-1"}}`,
      'kruise.io/sidecarset-hash-without-image': `{"s":{"updateTimestamp":"${TIME}","hash":"${imageless}","sidecarSetName":"s","sidecarList":["a","b"]}}`,
      'kruise.io/sidecarset-injected-list': 's',
    });
  });

  test('the old format of another set is read, and gets the new shape (SS-52)', () => {
    const old = '{"a":"abc"}';
    const pod = podOf(
      {},
      { annotations: { 'kruise.io/sidecarset-hash': old, 'kruise.io/sidecarset-injected-list': 'a' } },
    );
    const { annotations = {} } = injectedPod([set], { pod }).metadata;
    expect(JSON.parse(annotations['kruise.io/sidecarset-hash'] ?? '')).toMatchObject({
      a: { hash: 'abc', sidecarSetName: 'a' },
      s: { sidecarSetName: 's' },
    });
    expect(annotations['kruise.io/sidecarset-injected-list']).toBe('a,s');
  });

  test('what cannot be read refuses the pod', () => {
    const pod = podOf({}, { annotations: { 'kruise.io/sidecarset-hash': '[' } });
    expect(injection([set], { pod })).toEqual({
      refused:
        'SidecarSets cannot be injected: the annotation kruise.io/sidecarset-hash of the pod is no JSON object',
    });
  });
});
