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
  textAt,
  textsAt,
  wide,
  type Column,
} from './column.ts';

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
};
