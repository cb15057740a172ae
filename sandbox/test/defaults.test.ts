import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { sampleWith } from './everyKind.ts';
import { readRows } from './rows.ts';
import { stage } from './world.ts';

const template = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }] },
};

/** A new object of a kind, with these fields on top of its minimal manifest. */
function made(id: string, fields: object = {}): KubeObject {
  const { resource, manifest } = sampleWith(id, fields);
  const { server } = stage({ nodes: 0, kubeletsByHand: false }).world;
  return server.create('alice', resource, manifest, { fieldManager: 'm' });
}

/** Resource, fields, and what a 1.35 server makes of them. */
const rows = readRows<[string, object, object]>('defaults');

describe('what a 1.35 server fills in', () => {
  test.each(rows)('of %s: %j', (id, fields, expected) => {
    const object = made(id, fields);
    expect(object).toMatchObject(expected);
    expect(object.metadata).not.toHaveProperty('selfLink');
    expect(object).not.toHaveProperty('stringData');
  });

  test('of a Service: a port for health checks', () => {
    expect(made('services')).toMatchObject({ spec: { healthCheckNodePort: expect.any(Number) as number } });
  });

  test('of a Job: it selects its pods by its own uid', () => {
    const job = made('jobs.batch', {
      spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } },
    });
    const uid = job.metadata.uid ?? '';
    const own = {
      'batch.kubernetes.io/controller-uid': uid,
      'batch.kubernetes.io/job-name': 'own',
      'controller-uid': uid,
      'job-name': 'own',
    };
    expect(job.metadata.labels).toEqual(own);
    expect(job['spec']).toMatchObject({
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
      template: { metadata: { labels: own } },
    });
  });

  test('labels that a Job has of its own are not joined by those of its pods', () => {
    expect(made('jobs.batch', { metadata: { labels: { q: 'w' } } }).metadata.labels).toEqual({ q: 'w' });
  });

  test.each([
    ['pods', 'spec', ['priority', 'preemptionPolicy', 'tolerations'], ['dnsPolicy', 'serviceAccount']],
    ['jobs.batch', 'spec', ['selector'], ['manualSelector', 'suspend']],
    ['persistentvolumeclaims', 'metadata', ['finalizers'], []],
  ])('of %s: what admission adds to %s belongs to nobody', (id, part, nobodys, writers) => {
    const [entry] = made(id).metadata.managedFields ?? [];
    const owned = (entry?.fieldsV1 as Record<string, object> | undefined)?.[`f:${part}`] ?? {};
    for (const name of nobodys) expect(owned).not.toHaveProperty([`f:${name}`]);
    for (const name of writers) expect(owned).toHaveProperty([`f:${name}`]);
  });
});

describe('generations', () => {
  const annotated = (id: string) => {
    const sample = sampleWith(id);
    const { server } = stage({ nodes: 0 }).world;
    server.create('alice', sample.resource, sample.manifest);
    const { name, namespace = '' } = sample.manifest.metadata;
    const body = { metadata: { annotations: { new: 'one' } } };
    return server.patch('alice', sample.resource, { name, namespace }, { type: 'merge', body }).metadata;
  };
  test.each([
    ['deployments.apps', 2],
    ['replicasets.apps', 1],
    ['statefulsets.apps', 1],
    ['daemonsets.apps', 1],
  ])('after an annotation %s is at %d', (id, generation) => {
    expect(annotated(id).generation).toBe(generation);
  });

  test('a DaemonSet counts its templates and ignores the count of clients', () => {
    const sample = sampleWith('daemonsets.apps');
    const { server } = stage({ nodes: 0 }).world;
    server.create('alice', sample.resource, sample.manifest);
    const at = { name: 'own', namespace: 'default' };
    const count = (body: object) =>
      server.patch('alice', sample.resource, at, { type: 'merge', body } as never).metadata.annotations;
    const name = 'deprecated.daemonset.template.generation';
    expect(count({ metadata: { annotations: { [name]: '7' } } })).toEqual({ [name]: '1' });
    expect(count({ spec: { template: { spec: { dnsPolicy: 'Default' } } } })).toEqual({ [name]: '2' });
  });
});

describe('warnings of pods', () => {
  const gone = [{ name: 'p', rbd: { monitors: ['a'], image: 'b' } }];
  const twice = [{ name: 'main', image: 'web:1', env: [{ name: 'A' }, { name: 'A' }] }];
  const spec = { containers: twice, volumes: gone };
  const told = (path: string) => [
    `${path}.volumes[0].rbd: deprecated in v1.28, non-functional in v1.31+`,
    `${path}.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply`,
  ];
  test.each<[string, object, string]>([
    ['pods', { spec }, 'spec'],
    ['podtemplates', { template: { spec } }, 'template.spec'],
    [
      'deployments.apps',
      { spec: { selector: { matchLabels: { a: 'b' } }, template: { ...template, spec } } },
      'spec.template.spec',
    ],
  ])('of %s', (id, fields, path) => {
    const sample = sampleWith(id);
    const { server } = stage({ nodes: 0 }).world;
    const heard: string[] = [];
    const options = { warn: (text: string) => heard.push(text) };
    server.create('alice', sample.resource, { ...sample.manifest, ...fields }, options);
    expect(heard).toEqual(told(path));
    const body = { metadata: { labels: { new: 'one' } } };
    const at = { name: 'own', namespace: 'default' };
    server.patch('alice', sample.resource, at, { type: 'merge', body }, options);
    expect(heard).toEqual(told(path));
  });
});
