import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { readRows } from './rows.ts';
import { refusal, stage, type Stage } from './world.ts';

const services = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true };

const service = (name: string, spec: object | undefined): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  ...(spec === undefined ? {} : { spec }),
});
const create = ({ alice }: Stage, spec: object | undefined, name = 's') =>
  alice.create(services, service(name, spec));
const patch = ({ alice }: Stage, spec: object, name = 's') =>
  alice.patch(services, { namespace: 'default', name }, { type: 'merge', body: { spec } as never });

const port = { port: 80 };
const filledPort = { protocol: 'TCP', port: 80, targetPort: 80 };
const filled = {
  ports: [filledPort],
  clusterIP: '10.96.0.2',
  clusterIPs: ['10.96.0.2'],
  type: 'ClusterIP',
  sessionAffinity: 'None',
  ipFamilies: ['IPv4'],
  ipFamilyPolicy: 'SingleStack',
  internalTrafficPolicy: 'Cluster',
};

describe('services', () => {
  test.each(readRows<[string, object, object]>('services'))(
    'are completed: %s',
    async (_title, spec, expected) => {
      const created = await create(stage(), spec);
      expect(created['spec']).toEqual(expected);
      expect(created['status']).toEqual({ loadBalancer: {} });
    },
  );

  test('have addresses and node ports of their own, in every namespace', async () => {
    const all = stage({ namespaces: ['default', 'other'] });
    await create(all, { type: 'NodePort', ports: [{ ...port, nodePort: 30000 }] }, 'a');
    const other = { ...service('b', { type: 'NodePort', ports: [port] }) };
    const second = await all.alice.create(services, {
      ...other,
      metadata: { name: 'b', namespace: 'other' },
    });
    expect(second['spec']).toMatchObject({ clusterIP: '10.96.0.3', ports: [{ nodePort: 30001 }] });
    const takenAddress = await refusal(create(all, { clusterIP: '10.96.0.3', ports: [port] }));
    expect(takenAddress.message).toBe(
      'Service "s" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.3"]: failed to allocate IP 10.96.0.3: provided IP is already allocated',
    );
    const taken = await refusal(create(all, { type: 'NodePort', ports: [{ ...port, nodePort: 30000 }] }));
    expect(taken.message).toBe(
      'Service "s" is invalid: spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated',
    );
    await all.alice.delete(services, { namespace: 'default', name: 'a' });
    const third = await create(all, { ports: [port] }, 'c');
    expect(third['spec']).toMatchObject({ clusterIP: '10.96.0.2' });
  });

  test('keep their address, and get and lose node ports with their type', async () => {
    const all = stage();
    await create(all, { ports: [port] });
    const { message } = await refusal(patch(all, { clusterIP: '10.96.0.77' }));
    expect(message).toBe(
      'Service "s" is invalid: spec.clusterIPs[0]: Invalid value: ["10.96.0.77"]: may not change once set',
    );
    const open = await patch(all, { type: 'NodePort' });
    expect(open['spec']).toEqual({
      ...filled,
      type: 'NodePort',
      externalTrafficPolicy: 'Cluster',
      ports: [{ ...filledPort, nodePort: 30000 }],
    });
    expect((await patch(all, { type: 'ClusterIP' }))['spec']).toEqual(filled);
    const named = await patch(all, { type: 'ExternalName', externalName: 'x.y' });
    expect(named['spec']).toEqual({
      ports: [filledPort],
      type: 'ExternalName',
      sessionAffinity: 'None',
      externalName: 'x.y',
    });
    expect((await patch(all, { type: 'ClusterIP', externalName: null }))['spec']).toEqual(filled);
    expect((await patch(all, { clusterIP: null }))['spec']).toEqual(filled);
  });

  test('stay as they are when they are put as they were given', async () => {
    const all = stage();
    const created = await create(all, { type: 'NodePort', ports: [port] });
    const put = await all.alice.replace(services, service('s', { type: 'NodePort', ports: [port] }));
    expect(put['spec']).toEqual(created['spec']);
    expect(put.metadata.resourceVersion).toBe(created.metadata.resourceVersion);
  });

  test('own only explicitly set allocated fields', async () => {
    const created = await create(stage(), { ports: [port] });
    const fields = JSON.stringify(created.metadata.managedFields);
    expect(fields).toContain('f:internalTrafficPolicy');
    expect(fields).not.toContain('f:clusterIP');
  });
});
