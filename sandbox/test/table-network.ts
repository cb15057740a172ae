import type { TableRows } from './table-rows.ts';

/** Table rows of services and other networking kinds. */
export const network: TableRows = {
  services: [
    [
      'none',
      { spec: { clusterIP: 'None', selector: { b: 'c', a: 'd' } } },
      'none |  | None | <none> | <none> | 10m | a=d,b=c',
    ],
    [
      'ports',
      {
        spec: {
          type: 'NodePort',
          externalIPs: ['1.2.3.4', '2.3.4.5'],
          ports: [
            { name: 'a', port: 80, nodePort: 30123 },
            { name: 'b', port: 53, protocol: 'UDP' },
          ],
          selector: { a: 'b' },
        },
      },
      'ports | NodePort | <none> | 1.2.3.4,2.3.4.5 | 80:30123/TCP,53/UDP | 10m | a=b',
    ],
    [
      'lb',
      { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } },
      'lb | LoadBalancer | <none> | <pending> | 80/TCP | 10m | <none>',
    ],
    [
      'lb2',
      {
        spec: { type: 'LoadBalancer', externalIPs: ['9.9.9.9'], ports: [{ port: 80 }] },
        status: {
          loadBalancer: { ingress: [{ ip: '7.7.7.7' }, { hostname: 'foo.example.com' }, { ip: '6.6.6.6' }] },
        },
      },
      'lb2 | LoadBalancer | <none> | 6.6.6.6,7.7.7.7,foo.example.com,9.9.9.9 | 80/TCP | 10m | <none>',
    ],
    [
      'ext',
      { spec: { type: 'ExternalName', externalName: 'foo.example.com' } },
      'ext | ExternalName | <none> | foo.example.com | <none> | 10m | <none>',
    ],
  ],
  endpoints: [
    [
      'manual',
      {
        subsets: [
          {
            addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }],
            ports: [
              { name: 'a', port: 80 },
              { name: 'b', port: 81 },
            ],
          },
          { addresses: [{ ip: '10.0.0.3' }] },
        ],
      },
      'manual | 10.0.0.1:80,10.0.0.2:80,10.0.0.1:81 + 2 more... | 10m',
    ],
    [
      'manual2',
      { subsets: [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
      'manual2 |  | 10m',
    ],
    [
      'manual3',
      { subsets: [{ addresses: [{ ip: 'fd00::1' }, { ip: '10.0.0.2' }] }] },
      'manual3 | fd00::1,10.0.0.2 | 10m',
    ],
  ],
  'endpointslices.discovery.k8s.io': [
    [
      's1',
      {
        addressType: 'IPv4',
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
          { name: 'c', port: 82 },
          { name: 'd', port: 83 },
        ],
        endpoints: [
          { addresses: ['10.0.0.1'] },
          { addresses: ['10.0.0.2'] },
          { addresses: ['10.0.0.3'] },
          { addresses: ['10.0.0.4'] },
          { addresses: ['10.0.0.5'] },
        ],
      },
      's1 | IPv4 | 80,81,82 + 1 more... | 10.0.0.1,10.0.0.2,10.0.0.3 + 2 more... | 10m',
    ],
    ['s2', { addressType: 'IPv6', ports: [{ name: 'a' }], endpoints: [] }, 's2 | IPv6 | a | <unset> | 10m'],
    [
      's3',
      { addressType: 'FQDN', endpoints: [{ addresses: ['a.b.c'] }] },
      's3 | FQDN | <unset> | a.b.c | 10m',
    ],
    ['s4', { addressType: 'IPv4', ports: [{}], endpoints: [] }, 's4 | IPv4 | <unset> | <unset> | 10m'],
  ],
  'ingresses.networking.k8s.io': [
    [
      'i1',
      {
        spec: {
          ingressClassName: 'x',
          tls: [{ hosts: ['a.b.c'] }],
          rules: [{ host: 'a.b.c' }, { host: 'd.e.f' }],
        },
        status: { loadBalancer: { ingress: [{ ip: '1.1.1.1' }, { hostname: 'a.b' }] } },
      },
      'i1 | x | a.b.c,d.e.f | 1.1.1.1,a.b | 80, 443 | 10m',
    ],
    [
      'i2',
      { spec: { defaultBackend: { service: { name: 'x', port: { number: 80 } } } } },
      'i2 | <none> | * |  | 80 | 10m',
    ],
  ],
  'networkpolicies.networking.k8s.io': [
    ['np1', { spec: { podSelector: {} } }, 'np1 | <none> | 10m'],
    ['np2', { spec: { podSelector: { matchLabels: { z: 'b', a: 'b' } } } }, 'np2 | a=b,z=b | 10m'],
  ],
  'ingressclasses.networking.k8s.io': [
    ['kt-ic1', { spec: { controller: 'a.b/c' } }, 'kt-ic1 | a.b/c | <none> | 10m'],
    [
      'kt-ic2',
      {
        spec: {
          controller: 'a.b/c',
          parameters: { apiGroup: 'x.y', kind: 'Q', name: 'w', scope: 'Cluster' },
        },
      },
      'kt-ic2 | a.b/c | Q.x.y/w | 10m',
    ],
    [
      'kt-ic3',
      {
        metadata: { annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: {
          controller: 'a.b/c',
          parameters: { kind: 'Q', name: 'w', namespace: 'nn', scope: 'Namespace' },
        },
      },
      'kt-ic3 | a.b/c | Q/w | 10m',
    ],
  ],
};
