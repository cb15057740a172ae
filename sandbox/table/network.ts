import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import {
  ageColumn,
  column,
  joined,
  labelsText,
  listAt,
  nameColumn,
  numberAt,
  selectorText,
  textAt,
  textsAt,
  wide,
  type Column,
} from './column.ts';

const shown = 3;

/** The first three, and the number of the rest. */
function abridged(texts: readonly string[], none: string): string {
  if (texts.length === 0) return none;
  const first = texts.slice(0, shown).join(',');
  return texts.length > shown ? `${first} + ${texts.length - shown} more...` : first;
}

function externalIP(service: KubeObject): string {
  const external = textsAt(service, ['spec', 'externalIPs']);
  switch (textAt(service, ['spec', 'type'])) {
    case 'ExternalName':
      return textAt(service, ['spec', 'externalName']);
    case 'LoadBalancer': {
      const ingress = listAt(service, ['status', 'loadBalancer', 'ingress']).map(
        (each) => textAt(each, ['ip']) || textAt(each, ['hostname']),
      );
      const all = [...new Set(ingress.filter((each) => each !== ''))].sort().concat(external);
      return all.length === 0 ? '<pending>' : all.join(',');
    }
    default:
      return joined(external);
  }
}

function servicePorts(service: KubeObject): string {
  return joined(
    listAt(service, ['spec', 'ports']).map((each) => {
      const nodePort = numberAt(each, ['nodePort']);
      const port = `${numberAt(each, ['port'])}${nodePort > 0 ? `:${nodePort}` : ''}`;
      return `${port}/${textAt(each, ['protocol']) || 'TCP'}`;
    }),
  );
}

/** Host and port; IPv6 addresses in brackets. */
function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

function endpoints(object: KubeObject): string {
  const texts = listAt(object, ['subsets']).flatMap((subset) => {
    const hosts = listAt(subset, ['addresses']).map((each) => textAt(each, ['ip']));
    const ports = listAt(subset, ['ports']);
    if (ports.length === 0) return hosts;
    return ports.flatMap((port) => hosts.map((host) => hostPort(host, numberAt(port, ['port']))));
  });
  return abridged(texts, listAt(object, ['subsets']).length === 0 ? '<none>' : '');
}

function slicePorts(object: KubeObject): string {
  const texts = listAt(object, ['ports']).map((each) => {
    const port = fieldAt(each, ['port']);
    return typeof port === 'number' ? String(port) : textAt(each, ['name']);
  });
  return abridged(texts, '') || '<unset>';
}

function ingressHosts(object: KubeObject): string {
  const hosts = listAt(object, ['spec', 'rules'])
    .map((rule) => textAt(rule, ['host']))
    .filter((host) => host !== '');
  return abridged(hosts, '*');
}

function parameters(ingressClass: KubeObject): string {
  const reference = fieldAt(ingressClass, ['spec', 'parameters']);
  if (reference === undefined) return '<none>';
  const group = textAt(reference, ['apiGroup']);
  return `${textAt(reference, ['kind'])}${group === '' ? '' : `.${group}`}/${textAt(reference, ['name'])}`;
}

export const networkColumns: Readonly<Record<string, readonly Column[]>> = {
  services: [
    nameColumn,
    column('Type', (object) => textAt(object, ['spec', 'type'])),
    column(
      'Cluster-IP',
      (object) =>
        textsAt(object, ['spec', 'clusterIPs'])[0] ?? (textAt(object, ['spec', 'clusterIP']) || '<none>'),
    ),
    column('External-IP', externalIP),
    column('Port(s)', servicePorts),
    ageColumn,
    wide('Selector', (object) => labelsText(fieldAt(object, ['spec', 'selector']))),
  ],
  endpoints: [nameColumn, column('Endpoints', endpoints), ageColumn],
  'endpointslices.discovery.k8s.io': [
    nameColumn,
    column('AddressType', (object) => textAt(object, ['addressType'])),
    column('Ports', slicePorts),
    column('Endpoints', (object) =>
      abridged(
        listAt(object, ['endpoints']).flatMap((each) => textsAt(each, ['addresses'])),
        '<unset>',
      ),
    ),
    ageColumn,
  ],
  'ingresses.networking.k8s.io': [
    nameColumn,
    column('Class', (object) => textAt(object, ['spec', 'ingressClassName']) || '<none>'),
    column('Hosts', ingressHosts),
    column('Address', (object) =>
      listAt(object, ['status', 'loadBalancer', 'ingress'])
        .map((each) => textAt(each, ['ip']) || textAt(each, ['hostname']))
        .filter((each) => each !== '')
        .join(','),
    ),
    column('Ports', (object) => (listAt(object, ['spec', 'tls']).length > 0 ? '80, 443' : '80')),
    ageColumn,
  ],
  'ingressclasses.networking.k8s.io': [
    nameColumn,
    column('Controller', (object) => textAt(object, ['spec', 'controller'])),
    column('Parameters', parameters),
    ageColumn,
  ],
  'networkpolicies.networking.k8s.io': [
    nameColumn,
    column('Pod-Selector', (object) => selectorText(fieldAt(object, ['spec', 'podSelector']))),
    ageColumn,
  ],
};
