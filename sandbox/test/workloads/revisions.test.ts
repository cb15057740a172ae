import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { refusal } from '../world.ts';
import { at, daemonSets, statefulSets, workload, workloadStage } from './stage.ts';

/** A value with the fields of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  const entries = Object.entries(value).map(([key, each]) => [key, reversed(each)] as const);
  return Object.fromEntries(entries.reverse());
}

function revision(data: object): KubeObject {
  const metadata = { name: 'r', namespace: 'default' };
  return { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, revision: 1, data };
}

describe('the data of a ControllerRevision', () => {
  test('cannot even change their order', async () => {
    const { alice } = workloadStage();
    const data = { spec: { b: 1, a: 2 } };
    const made = await alice.create(resources.ControllerRevision, revision(data));
    expect(made.metadata.managedFields?.[0]?.fieldsV1).toEqual({ 'f:data': {}, 'f:revision': {} });
    const { code, message } = await refusal(
      alice.replace(resources.ControllerRevision, revision({ spec: { a: 2, b: 1 } })),
    );
    expect([code, message]).toEqual([
      422,
      'ControllerRevision.apps "r" is invalid: data: Invalid value: {"spec":{"a":2,"b":1}}: field is immutable',
    ]);
    const same = await alice.replace(resources.ControllerRevision, revision(structuredClone(data)));
    expect(same.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  test.each([
    ['StatefulSet', statefulSets, workload('StatefulSet', { replicas: 0, serviceName: 'web' })],
    ['DaemonSet', daemonSets, workload('DaemonSet')],
  ] as const)('are compared in their order by a %s', async (_kind, resource, made) => {
    const { alice, wait } = workloadStage();
    const revisions = async () =>
      (await alice.list(resources.ControllerRevision, { namespace: 'default' })).items;
    async function adopted(change: (data: unknown) => unknown): Promise<unknown[]> {
      await alice.create(resource, made);
      await wait(5);
      const [own] = await revisions();
      if (own === undefined) throw new Error('there is no revision');
      await alice.delete(resource, at('web'), { propagationPolicy: 'Orphan' });
      await wait(5);
      await alice.delete(resources.ControllerRevision, at(own.metadata.name));
      const { labels = {} } = own.metadata;
      const metadata = { name: 'of-another', namespace: 'default', labels };
      await alice.create(resources.ControllerRevision, { ...own, metadata, data: change(own['data']) });
      await alice.create(resource, made);
      await wait(5);
      const found = await revisions();
      await alice.delete(resource, at('web'));
      await wait(5);
      return found.map((each) => [each.metadata.name, each.metadata.ownerReferences?.[0]?.name]);
    }
    expect(await adopted((data) => data)).toEqual([['of-another', 'web']]);
    // The patch that adopts writes the data in another order, and is refused.
    expect(await adopted(reversed)).toEqual([['of-another', undefined]]);
  });
});
