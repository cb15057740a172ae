import { describe, expect, it } from 'vitest';
import * as fc from '../../property.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { classify } from '../../../semantics/template/classify.ts';
import { inPlacePatch } from '../../../semantics/template/inplace-images.ts';
import { arbitraryTemplate } from './arbitrary-template.ts';
import { app, lines, pod, sidecar, withApp } from './pods.ts';

function envFrom(fieldPath: string): JsonObject {
  return { env: [{ name: 'E', valueFrom: { fieldRef: { fieldPath } } }] };
}

interface Case {
  rule: string;
  from: JsonObject;
  to: JsonObject;
  mode: string;
  fields: string[];
}

const cases: Case[] = [
  {
    rule: 'IU-1 image of a container',
    from: pod([app, sidecar]),
    to: pod([{ ...app, image: 'app:2' }, sidecar]),
    mode: 'InPlace',
    fields: ['spec.containers[app].image InPlace app:1>app:2'],
  },
  {
    rule: 'IU-5 image of an init container',
    from: pod([app], { initContainers: [{ name: 'i', image: 'i:1' }] }),
    to: pod([app], { initContainers: [{ name: 'i', image: 'i:2' }] }),
    mode: 'Recreate',
    fields: ['spec.initContainers[i].image Recreate i:1>i:2'],
  },
  {
    rule: 'IU-6 order of containers',
    from: pod([app, sidecar]),
    to: pod([sidecar, app]),
    mode: 'Recreate',
    fields: ['spec.containers Recreate changed'],
  },
  {
    rule: '6.1 order of containers with an image change: neither is in place',
    from: pod([app, sidecar]),
    to: pod([sidecar, { ...app, image: 'app:2' }]),
    mode: 'Recreate',
    fields: ['spec.containers Recreate changed', 'spec.containers[app].image Recreate app:1>app:2'],
  },
  {
    rule: '6.1 container added in front',
    from: pod([app]),
    to: pod([sidecar, { ...app, image: 'app:2' }]),
    mode: 'Recreate',
    fields: ['spec.containers[app].image Recreate app:1>app:2', 'spec.containers[proxy] Recreate added'],
  },
  {
    rule: '6.1 container removed',
    from: pod([app, sidecar]),
    to: pod([app]),
    mode: 'Recreate',
    fields: ['spec.containers[proxy] Recreate removed'],
  },
  {
    rule: '6.1 container renamed: one entry under the old name',
    from: pod([app, sidecar]),
    to: pod([{ ...app, name: 'web' }, sidecar]),
    mode: 'Recreate',
    fields: ['spec.containers[app] Recreate changed'],
  },
  {
    rule: 'IU-7 labels added, changed, removed',
    from: pod([app], {}, { labels: { a: '1', b: '1' } }),
    to: pod([app], {}, { labels: { b: '2', c: '3' } }),
    mode: 'MetadataOnly',
    fields: [
      'metadata.labels[a] MetadataOnly removed',
      'metadata.labels[b] MetadataOnly changed',
      'metadata.labels[c] MetadataOnly added',
    ],
  },
  {
    rule: 'IU-8 finalizer added',
    from: pod([app]),
    to: pod([app], {}, { finalizers: ['x/y'] }),
    mode: 'MetadataOnly',
    fields: ['metadata.finalizers[x/y] MetadataOnly added'],
  },
  {
    rule: 'IU-10 annotation that the environment reads, no node daemon',
    from: pod([{ ...app, ...envFrom("metadata.annotations['a/b']") }], {}, { annotations: { 'a/b': '1' } }),
    to: pod([{ ...app, ...envFrom("metadata.annotations['a/b']") }], {}, { annotations: { 'a/b': '2' } }),
    mode: 'Recreate',
    fields: ['metadata.annotations[a/b] Recreate changed'],
  },
  {
    rule: 'IU-9 annotation that the environment of one container reads, with an image: no container keeps an old value',
    from: pod(
      [{ ...app, ...envFrom("metadata.annotations['a/b']") }, sidecar],
      {},
      { annotations: { 'a/b': '1' } },
    ),
    to: pod(
      [{ ...app, image: 'app:2', ...envFrom("metadata.annotations['a/b']") }, sidecar],
      {},
      { annotations: { 'a/b': '2' } },
    ),
    mode: 'Recreate',
    fields: ['metadata.annotations[a/b] Recreate changed', 'spec.containers[app].image InPlace app:1>app:2'],
  },
  {
    rule: 'IU-15 annotation that the environments of two containers read',
    from: pod(
      [app, sidecar].map((each) => ({ ...each, ...envFrom("metadata.annotations['a/b']") })),
      {},
      { annotations: { 'a/b': '1' } },
    ),
    to: pod(
      [app, sidecar].map((each) => ({ ...each, ...envFrom("metadata.annotations['a/b']") })),
      {},
      { annotations: { 'a/b': '2' } },
    ),
    mode: 'Recreate',
    fields: ['metadata.annotations[a/b] Recreate changed'],
  },
  {
    rule: 'edge case 12: the first label ever, and the environment reads it',
    from: pod([{ ...app, ...envFrom("metadata.labels['a']") }]),
    to: pod([{ ...app, ...envFrom("metadata.labels['a']") }], {}, { labels: { a: '1' } }),
    mode: 'Recreate',
    fields: ['metadata.labels[a] Recreate added'],
  },
  {
    rule: '6.2 only normal containers count',
    from: pod(
      [app],
      { initContainers: [{ ...sidecar, ...envFrom("metadata.labels['a']") }] },
      { labels: { a: '1' } },
    ),
    to: pod(
      [app],
      { initContainers: [{ ...sidecar, ...envFrom("metadata.labels['a']") }] },
      { labels: { a: '2' } },
    ),
    mode: 'MetadataOnly',
    fields: ['metadata.labels[a] MetadataOnly changed'],
  },
  {
    rule: '6.2 another key of the same map',
    from: pod([{ ...app, ...envFrom("metadata.labels['a']") }], {}, { labels: { a: '1', b: '1' } }),
    to: pod([{ ...app, ...envFrom("metadata.labels['a']") }], {}, { labels: { a: '1', b: '2' } }),
    mode: 'MetadataOnly',
    fields: ['metadata.labels[b] MetadataOnly changed'],
  },
  {
    rule: 'order of the environment',
    from: withApp({
      env: [
        { name: 'A', value: '1' },
        { name: 'B', value: '2' },
      ],
    }),
    to: withApp({
      env: [
        { name: 'B', value: '2' },
        { name: 'A', value: '1' },
      ],
    }),
    mode: 'Recreate',
    fields: ['spec.containers[app].env Recreate changed'],
  },
  {
    rule: 'CS-32 environment value: never shown, not even a number',
    from: withApp({
      env: [
        { name: 'A', value: 'secret' },
        { name: 'N', value: 4711 },
      ],
    }),
    to: withApp({
      env: [
        { name: 'A', value: 'other' },
        { name: 'N', value: 4712 },
      ],
    }),
    mode: 'Recreate',
    fields: [
      'spec.containers[app].env[A].value Recreate changed',
      'spec.containers[app].env[N].value Recreate changed',
    ],
  },
  {
    rule: 'resources, resizing off (rule 6.1)',
    from: withApp({ resources: { limits: { cpu: '100m' } } }),
    to: withApp({ resources: { limits: { cpu: '0.2', memory: '1Gi' } } }),
    mode: 'Recreate',
    fields: [
      'spec.containers[app].resources.limits[cpu] Recreate 100m>200m',
      'spec.containers[app].resources.limits[memory] Recreate added undefined>1Gi',
    ],
  },
  {
    rule: 'a command is one place and never shown',
    from: withApp({ command: ['run', '--password=a'] }),
    to: withApp({ command: ['run', '--password=b', '-v'] }),
    mode: 'Recreate',
    fields: ['spec.containers[app].command Recreate changed'],
  },
  {
    rule: 'an added structure is one place',
    from: withApp({}),
    to: withApp({ livenessProbe: { httpGet: { port: 80 }, failureThreshold: 9 } }),
    mode: 'Recreate',
    fields: ['spec.containers[app].livenessProbe Recreate added'],
  },
  {
    rule: 'a first value of a field with a default is a change from the default',
    from: pod([app]),
    to: pod([app], { terminationGracePeriodSeconds: 60 }),
    mode: 'Recreate',
    fields: ['spec.terminationGracePeriodSeconds Recreate 30>60'],
  },
  {
    rule: 'ports by number and protocol',
    from: withApp({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }] }),
    to: withApp({ ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP', name: 'dns-udp' }] }),
    mode: 'Recreate',
    fields: ['spec.containers[app].ports[53/UDP].name Recreate changed'],
  },
  {
    rule: 'two variables of one name: by position',
    from: withApp({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
      ],
    }),
    to: withApp({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '3' },
      ],
    }),
    mode: 'Recreate',
    fields: ['spec.containers[app].env[1].value Recreate changed'],
  },
  {
    rule: 'two containers of one name: which one a patch would hit is unknown',
    from: pod([app, app]),
    to: pod([app, { ...app, image: 'app:2' }]),
    mode: 'Recreate',
    fields: ['spec.containers[1].image Recreate app:1>app:2'],
  },
  {
    rule: 'unnamed objects by position; another number of them is one place',
    from: pod([app], {
      tolerations: [{ key: 'a', tolerationSeconds: 1 }],
      topologySpreadConstraints: [{ maxSkew: 1 }],
    }),
    to: pod([app], {
      tolerations: [{ key: 'a', tolerationSeconds: 2 }],
      topologySpreadConstraints: [{ maxSkew: 1 }, { maxSkew: 2 }],
    }),
    mode: 'Recreate',
    fields: [
      'spec.tolerations[0].tolerationSeconds Recreate 1>2',
      'spec.topologySpreadConstraints Recreate changed',
    ],
  },
  {
    rule: 'metadata that never reaches a pod',
    from: pod([app]),
    to: pod([app], {}, { name: 'ignored' }),
    mode: 'MetadataOnly',
    fields: ['metadata.name MetadataOnly added'],
  },
  {
    rule: 'an unknown field',
    from: pod([app]),
    to: pod([app], { newThing: { a: 1 } }),
    mode: 'Recreate',
    fields: ['spec.newThing Recreate added'],
  },
  {
    rule: 'IU-35 the same template, written out',
    from: pod([app]),
    to: pod([{ ...app, imagePullPolicy: 'Always' }], { restartPolicy: 'Always' }),
    mode: 'MetadataOnly',
    fields: [],
  },
];

describe('inplace-update 6.1 and 6.2', () => {
  it.each(cases)('$rule', ({ from, to, mode, fields }) => {
    const result = classify(from, to, { policy: 'InPlaceIfPossible' });
    expect(lines(result.fields)).toEqual(fields);
    expect(result.mode).toBe(mode);
  });

  it.each(cases)('$rule: the patch exists exactly when nothing is recreated', ({ from, to, mode }) => {
    expect(inPlacePatch(from, to) === undefined).toBe(mode === 'Recreate');
  });

  it.each(cases)('$rule: under ReCreate every difference recreates', ({ from, to, fields }) => {
    const result = classify(from, to, { policy: 'ReCreate' });
    expect(result.fields.map(({ effect }) => effect)).toEqual(fields.map(() => 'Recreate'));
    expect(result.mode).toBe(fields.length === 0 ? 'MetadataOnly' : 'Recreate');
    expect(classify(from, to, { policy: 'InPlaceOnly' })).toEqual(
      classify(from, to, { policy: 'InPlaceIfPossible' }),
    );
  });
});

describe('reasons', () => {
  const reasonOf = (from: JsonObject, to: JsonObject): string | undefined =>
    classify(from, to, { policy: 'InPlaceIfPossible' }).fields[0]?.reason;

  it('a generated name of a ConfigMap or Secret is mentioned', () => {
    const volumes = (source: JsonObject): JsonObject => pod([app], { volumes: [{ name: 'v', ...source }] });
    expect(
      reasonOf(volumes({ configMap: { name: 'c-1' } }), volumes({ configMap: { name: 'c-2' } })),
    ).toContain('ConfigMap');
    expect(
      reasonOf(volumes({ secret: { secretName: 's-1' } }), volumes({ secret: { secretName: 's-2' } })),
    ).toContain('Secret');
    const from = (name: string): JsonObject => withApp({ envFrom: [{ configMapRef: { name } }] });
    expect(reasonOf(from('c-1'), from('c-2'))).toContain('ConfigMap');
  });

  it('the container whose environment reads a label is named', () => {
    const labelled = (value: string): JsonObject =>
      pod([app, { ...sidecar, ...envFrom("metadata.labels['a']") }], {}, { labels: { a: value } });
    expect(reasonOf(labelled('1'), labelled('2'))).toContain('"proxy"');
  });

  it('the policy is the reason only where there is no other', () => {
    const to = pod([{ ...app, image: 'app:2', command: ['x'] }]);
    expect(classify(pod([app]), to, { policy: 'ReCreate' }).fields.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('command'),
      'podUpdatePolicy is ReCreate',
    ]);
  });

  it('each is one plain sentence without a value of the template in it', () => {
    fc.assert(
      fc.property(arbitraryTemplate, arbitraryTemplate, (from, to) => {
        for (const { reason, rule } of classify(from, to, { policy: 'InPlaceIfPossible' }).fields) {
          expect(reason).toMatch(/^[a-zA-Z0-9 ,():"/-]+$/);
          expect(rule).toMatch(/^OpenKruise /);
        }
      }),
    );
  });
});
