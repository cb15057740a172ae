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
};
