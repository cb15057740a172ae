import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../schemas/wire/object.ts';
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
  test.each<[string, object, object]>([
    ['a port is enough', { ports: [port] }, filled],
    [
      'node ports are counted up',
      {
        type: 'NodePort',
        ports: [
          { ...port, name: 'a' },
          { port: 81, name: 'b' },
        ],
      },
      {
        ...filled,
        type: 'NodePort',
        externalTrafficPolicy: 'Cluster',
        ports: [
          { ...filledPort, name: 'a', nodePort: 30000 },
          { protocol: 'TCP', port: 81, targetPort: 81, name: 'b', nodePort: 30001 },
        ],
      },
    ],
    [
      'load balancers have node ports, too',
      { type: 'LoadBalancer', ports: [port] },
      {
        ...filled,
        type: 'LoadBalancer',
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
        ports: [{ ...filledPort, nodePort: 30000 }],
      },
    ],
    [
      'an external name has no address',
      { type: 'ExternalName', externalName: 'a.example.com' },
      { type: 'ExternalName', externalName: 'a.example.com', sessionAffinity: 'None' },
    ],
    [
      'nobody knows where no selector leads',
      { clusterIP: 'None', ports: [port] },
      {
        ...filled,
        clusterIP: 'None',
        clusterIPs: ['None'],
        ipFamilies: ['IPv4', 'IPv6'],
        ipFamilyPolicy: 'RequireDualStack',
      },
    ],
    [
      'without an address no port is needed',
      { clusterIP: 'None', selector: { a: 'b' } },
      {
        ...filled,
        ports: undefined,
        clusterIP: 'None',
        clusterIPs: ['None'],
        selector: { a: 'b' },
      },
    ],
    [
      'clients stay for three hours',
      { ports: [port], sessionAffinity: 'ClientIP' },
      {
        ...filled,
        sessionAffinity: 'ClientIP',
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
      },
    ],
  ])('are completed: %s', async (_title, spec, expected) => {
    const created = await create(stage(), spec);
    expect(created['spec']).toEqual(expected);
    expect(created['status']).toEqual({ loadBalancer: {} });
  });

  const dns1123 =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
  const twice =
    'spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP","AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}';
  const range = 'must be between 1 and 65535, inclusive';
  const address = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

  test.each<[object | undefined, string]>([
    [undefined, 'spec.ports: Required value'],
    [
      { ports: [port, { port: 81 }] },
      '[spec.ports[0].name: Required value, spec.ports[1].name: Required value]',
    ],
    [
      {
        ports: [
          { ...port, name: 'A' },
          { ...port, name: 'b' },
        ],
      },
      `[spec.ports[0].name: Invalid value: "A": ${dns1123}, ${twice}]`,
    ],
    [
      {
        ports: [
          { ...port, name: 'a' },
          { port: 81, name: 'a' },
        ],
      },
      'spec.ports[1].name: Duplicate value: "a"',
    ],
    [
      { ports: [{ port: 0 }, { port: 70000, name: 'x', targetPort: 0, protocol: 'FOO' }] },
      `[spec.ports[0].name: Required value, spec.ports[0].port: Invalid value: 0: ${range}, spec.ports[0].targetPort: Invalid value: 0: ${range}, ` +
        `spec.ports[1].port: Invalid value: 70000: ${range}, spec.ports[1].protocol: Unsupported value: "FOO": supported values: "SCTP", "TCP", "UDP", ` +
        `spec.ports[1].targetPort: Invalid value: 70000: ${range}]`,
    ],
    [
      { ports: [{ ...port, targetPort: 'web_1' }] },
      'spec.ports[0].targetPort: Invalid value: "web_1": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)',
    ],
    [
      { type: 'NodePort', ports: [{ ...port, nodePort: 20000 }] },
      'spec.ports[0].nodePort: Invalid value: 20000: provided port is not in the valid range. The range of valid ports is 30000-32767',
    ],
    [
      { type: 'Foo', ports: [port] },
      'spec.type: Unsupported value: "Foo": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
    ],
    [
      { clusterIP: '1.2.3.4', ports: [port] },
      'spec.clusterIPs: Invalid value: ["1.2.3.4"]: failed to allocate IP 1.2.3.4: the provided network does not match the current range',
    ],
    [{ clusterIP: 'foo', ports: [port] }, `spec.clusterIPs[0]: Invalid value: "foo": ${address}`],
    [
      { clusterIP: 'None', type: 'NodePort', ports: [port] },
      'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
    ],
    [
      { ports: [{ ...port, nodePort: 30005 }] },
      "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    ],
    [
      { ports: [port], selector: { a: 'b c' } },
      "spec.selector: Invalid value: \"b c\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
        "(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ])('are refused: %j', async (spec, fault) => {
    const { code, message } = await refusal(create(stage(), spec));
    expect([code, message]).toEqual([422, `Service "s" is invalid: ${fault}`]);
  });

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
