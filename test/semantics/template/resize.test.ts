import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { classify } from '../../../semantics/template/classify.ts';
import { inPlacePatch } from '../../../semantics/template/inplace-images.ts';
import { app, lines, pod, sidecar, withApp } from './pods.ts';

const RULES = { policy: 'InPlaceIfPossible', resizes: true } as const;
const RESTARTS = (...names: string[]): JsonObject[] =>
  names.map((resourceName) => ({ resourceName, restartPolicy: 'RestartContainer' }));

const requests = (cpu: string, more: JsonObject = {}): JsonObject => ({
  requests: { cpu, memory: '1Gi', ...more },
});
const sized = (resources: JsonObject, fields: JsonObject = {}): JsonObject =>
  withApp({ ...fields, resources });

interface Row {
  what: string;
  from: JsonObject;
  to: JsonObject;
  fields: string[];
  resize: unknown;
}

const rows: Row[] = [
  {
    what: 'IU-17: a request of cpu, without a restart',
    from: sized(requests('100m')),
    to: sized(requests('200m')),
    fields: ['spec.containers[app].resources.requests[cpu] InPlace 100m>200m'],
    resize: { resources: { app: { requests: { cpu: '200m' } } }, restarts: [] },
  },
  {
    what: 'IU-18: the same, of a container that restarts for it',
    from: sized(requests('100m'), { resizePolicy: RESTARTS('cpu') }),
    to: sized(requests('200m'), { resizePolicy: RESTARTS('cpu') }),
    fields: ['spec.containers[app].resources.requests[cpu] InPlace 100m>200m'],
    resize: { resources: { app: { requests: { cpu: '200m' } } }, restarts: ['app'] },
  },
  {
    what: 'IU-19: the same, of one that restarts for memory only',
    from: sized(requests('100m'), { resizePolicy: RESTARTS('memory') }),
    to: sized(requests('200m'), { resizePolicy: RESTARTS('memory') }),
    fields: ['spec.containers[app].resources.requests[cpu] InPlace 100m>200m'],
    resize: { resources: { app: { requests: { cpu: '200m' } } }, restarts: [] },
  },
  {
    what: 'IU-20: a limit that is added',
    from: sized(requests('100m')),
    to: sized({ ...requests('100m'), limits: { memory: '2Gi' } }),
    fields: ['spec.containers[app].resources.limits[memory] Recreate added undefined>2Gi'],
    resize: 'recreated',
  },
  {
    what: 'IU-20: a limit that is removed',
    from: sized({ ...requests('100m'), limits: { memory: '2Gi' } }),
    to: sized(requests('100m')),
    fields: ['spec.containers[app].resources.limits[memory] Recreate removed 2Gi>undefined'],
    resize: 'recreated',
  },
  {
    what: 'IU-20: another resource',
    from: sized({ limits: { cpu: '1', 'example.com/gpu': '1' } }),
    to: sized({ limits: { cpu: '1', 'example.com/gpu': '2' } }),
    fields: ['spec.containers[app].resources.limits[example.com/gpu] Recreate 1>2'],
    resize: 'recreated',
  },
  {
    what: 'IU-20: storage of the node',
    from: sized(requests('100m', { 'ephemeral-storage': '1Gi' })),
    to: sized(requests('200m', { 'ephemeral-storage': '2Gi' })),
    fields: [
      'spec.containers[app].resources.requests[cpu] InPlace 100m>200m',
      'spec.containers[app].resources.requests[ephemeral-storage] Recreate 1Gi>2Gi',
    ],
    resize: 'recreated',
  },
  {
    what: 'IU-20: another QoS class, by amounts that may change each',
    from: sized({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }),
    to: sized({ requests: { cpu: '2', memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } }),
    fields: ['spec.containers[app].resources.requests[cpu] Recreate 1>2'],
    resize: 'recreated',
  },
  {
    what: 'a request follows its limit, if it is not written: the server wrote it into the pod',
    from: sized({ limits: { cpu: '1', memory: '1Gi' } }),
    to: sized({ limits: { cpu: '2', memory: '1Gi' } }),
    fields: ['spec.containers[app].resources.limits[cpu] InPlace 1>2'],
    resize: { resources: { app: { limits: { cpu: '2' }, requests: { cpu: '2' } } }, restarts: [] },
  },
  {
    what: 'a request that equals the limit no longer is a change, too, and none is added',
    from: sized({ limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '2', memory: '512Mi' } }),
    to: sized({ limits: { cpu: '2', memory: '1Gi' }, requests: { cpu: '1', memory: '512Mi' } }),
    fields: ['spec.containers[app].resources.requests[cpu] InPlace 2>1'],
    resize: { resources: { app: { requests: { cpu: '1' } } }, restarts: [] },
  },
  {
    what: 'several containers, one of them with an image',
    from: pod([
      { ...app, resources: requests('100m') },
      { ...sidecar, resources: requests('10m'), resizePolicy: RESTARTS('cpu') },
    ]),
    to: pod([
      { ...app, image: 'app:2', resources: requests('200m') },
      { ...sidecar, resources: requests('20m'), resizePolicy: RESTARTS('cpu') },
    ]),
    fields: [
      'spec.containers[app].image InPlace app:1>app:2',
      'spec.containers[app].resources.requests[cpu] InPlace 100m>200m',
      'spec.containers[proxy].resources.requests[cpu] InPlace 10m>20m',
    ],
    resize: {
      resources: { app: { requests: { cpu: '200m' } }, proxy: { requests: { cpu: '20m' } } },
      restarts: ['proxy'],
    },
  },
  {
    what: 'an init container is not resized',
    from: pod([app], { initContainers: [{ name: 'first', image: 'i', resources: requests('1') }] }),
    to: pod([app], { initContainers: [{ name: 'first', image: 'i', resources: requests('2') }] }),
    fields: ['spec.initContainers[first].resources.requests[cpu] Recreate 1>2'],
    resize: 'recreated',
  },
  {
    what: 'another resizePolicy makes a new pod',
    from: sized(requests('100m')),
    to: sized(requests('100m'), { resizePolicy: RESTARTS('cpu') }),
    fields: ['spec.containers[app].resizePolicy[cpu] Recreate added'],
    resize: 'recreated',
  },
  ...(
    [
      ['resources of the whole pod', { resources: { limits: { cpu: '4' } } }],
      ['Windows', { os: { name: 'windows' } }],
    ] as const
  ).map(([what, spec]): Row => ({
    what: `${what} prevents it`,
    from: pod([{ ...app, resources: requests('100m') }], spec),
    to: pod([{ ...app, resources: requests('200m') }], spec),
    fields: ['spec.containers[app].resources.requests[cpu] Recreate 100m>200m'],
    resize: 'recreated',
  })),
];

describe('resize in place (OpenKruise inplace-update, rule 6.1)', () => {
  it.each(rows)('$what', ({ from, to, fields, resize }) => {
    expect(lines(classify(from, to, RULES).fields)).toEqual(fields);
    const patch = inPlacePatch(from, to, RULES);
    expect(patch === undefined ? 'recreated' : patch.resize).toEqual(resize);
  });

  it.each(rows)('$what: without the annotation, no container is resized', ({ from, to }) => {
    const { mode } = classify(from, to, { policy: 'InPlaceIfPossible' });
    expect([mode, inPlacePatch(from, to)]).toEqual(['Recreate', undefined]);
  });

  it.each(rows)('$what: the way back is as disruptive', ({ from, to }) => {
    expect(classify(to, from, RULES).mode).toBe(classify(from, to, RULES).mode);
  });

  const reasons = (from: JsonObject, to: JsonObject): string[] =>
    classify(from, to, RULES).fields.map(({ reason }) => reason);

  it('says what prevents it', () => {
    const guaranteed = { limits: { cpu: '1', memory: '1Gi' } };
    const burstable = { ...guaranteed, requests: { cpu: '500m' } };
    expect(reasons(sized(guaranteed), sized(burstable))).toEqual([
      'the QoS class changes from Guaranteed to Burstable, and a running pod keeps it',
    ]);
    expect(reasons(sized(requests('1')), sized({ requests: { cpu: '1' } }))).toEqual([
      'a request cannot be removed from a running container',
    ]);
  });

  it('says whether the container restarts', () => {
    const policy = { resizePolicy: RESTARTS('cpu') };
    expect(reasons(sized(requests('1')), sized(requests('2')))).toEqual([
      'the container is resized while it runs',
    ]);
    expect(reasons(sized(requests('1'), policy), sized(requests('2'), policy))).toEqual([
      'the container is resized, and its resizePolicy restarts it',
    ]);
  });
});
