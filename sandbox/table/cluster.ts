import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import {
  ageColumn,
  column,
  joined,
  listAt,
  nameColumn,
  numberAt,
  sizeAt,
  textAt,
  wide,
  type Column,
} from './column.ts';
import { since } from './duration.ts';

function nodeStatus(node: KubeObject): string {
  const ready = listAt(node, ['status', 'conditions']).find((each) => textAt(each, ['type']) === 'Ready');
  const words = [
    ready === undefined ? 'Unknown' : textAt(ready, ['status']) === 'True' ? 'Ready' : 'NotReady',
  ];
  if (fieldAt(node, ['spec', 'unschedulable']) === true) words.push('SchedulingDisabled');
  return words.join(',');
}

const rolePrefix = 'node-role.kubernetes.io/';

function nodeRoles(node: KubeObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix))
      return key.length > rolePrefix.length ? [key.slice(rolePrefix.length)] : [];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return joined([...new Set(roles)].sort());
}

function address(type: string): (node: KubeObject) => string {
  return (node) => {
    const found = listAt(node, ['status', 'addresses']).find((each) => textAt(each, ['type']) === type);
    return textAt(found, ['address']) || '<none>';
  };
}

function nodeInfo(field: string): (node: KubeObject) => string {
  return (node) => textAt(node, ['status', 'nodeInfo', field]) || '<unknown>';
}

/** Last seen: the last observation of a series, else the creation of the Event. */
function lastSeen(event: KubeObject, now: number): string {
  const series = fieldAt(event, ['series']);
  const text =
    textAt(series, ['lastObservedTime']) ||
    textAt(event, ['lastTimestamp']) ||
    textAt(event, ['firstTimestamp']) ||
    textAt(event, ['eventTime']);
  return since(text, now);
}

function firstSeen(event: KubeObject, now: number): string {
  return since(textAt(event, ['firstTimestamp']) || textAt(event, ['eventTime']), now);
}

function source(event: KubeObject): string {
  const component = textAt(event, ['source', 'component']) || textAt(event, ['reportingComponent']);
  const host = textAt(event, ['source', 'host']) || textAt(event, ['reportingInstance']);
  return host === '' ? component : `${component}, ${host}`;
}

function involved(event: KubeObject): string {
  const object = fieldAt(event, ['involvedObject']);
  return `${textAt(object, ['kind']).toLowerCase()}/${textAt(object, ['name'])}`;
}

function quota(kind: 'requests' | 'limits'): (object: KubeObject) => string {
  return (object) => {
    const hard = fieldAt(object, ['status', 'hard']);
    const names = isFields(hard) ? Object.keys(hard).sort() : [];
    return names
      .filter((name) => name.startsWith('limits') === (kind === 'limits'))
      .map((name) => {
        const used = textAt(object, ['status', 'used', name]) || '0';
        return `${name}: ${used}/${textAt(hard, [name])}`;
      })
      .join(', ');
  };
}

const roleColumn = column(
  'Role',
  (object) => `${textAt(object, ['roleRef', 'kind'])}/${textAt(object, ['roleRef', 'name'])}`,
);

function subjects(name: string, kind: string): Column {
  return wide(name, (object) =>
    listAt(object, ['subjects'])
      .filter((each) => textAt(each, ['kind']) === kind)
      .map((each) =>
        kind === 'ServiceAccount'
          ? `${textAt(each, ['namespace'])}/${textAt(each, ['name'])}`
          : textAt(each, ['name']),
      )
      .join(', '),
  );
}

const bindingColumns = [
  nameColumn,
  roleColumn,
  ageColumn,
  subjects('Users', 'User'),
  subjects('Groups', 'Group'),
  subjects('ServiceAccounts', 'ServiceAccount'),
];

const webhookColumns = [
  nameColumn,
  column('Webhooks', (object) => listAt(object, ['webhooks']).length, { type: 'integer' }),
  ageColumn,
];

export const clusterColumns: Readonly<Record<string, readonly Column[]>> = {
  nodes: [
    nameColumn,
    column('Status', nodeStatus),
    column('Roles', nodeRoles),
    ageColumn,
    column('Version', (node) => textAt(node, ['status', 'nodeInfo', 'kubeletVersion'])),
    wide('Internal-IP', address('InternalIP')),
    wide('External-IP', address('ExternalIP')),
    wide('OS-Image', nodeInfo('osImage')),
    wide('Kernel-Version', nodeInfo('kernelVersion')),
    wide('Container-Runtime', nodeInfo('containerRuntimeVersion')),
  ],
  namespaces: [nameColumn, column('Status', (object) => textAt(object, ['status', 'phase'])), ageColumn],
  events: [
    column('Last Seen', lastSeen),
    column('Type', (event) => textAt(event, ['type'])),
    column('Reason', (event) => textAt(event, ['reason'])),
    column('Object', involved),
    wide('Subobject', (event) => textAt(event, ['involvedObject', 'fieldPath'])),
    wide('Source', source),
    column('Message', (event) => textAt(event, ['message']).trim()),
    wide('First Seen', firstSeen),
    wide('Count', (event) => numberAt(event, ['series', 'count']) || numberAt(event, ['count']) || 1),
    { ...nameColumn, priority: 1 },
  ],
  configmaps: [
    nameColumn,
    column('Data', (object) => sizeAt(object, ['data']) + sizeAt(object, ['binaryData'])),
    ageColumn,
  ],
  secrets: [
    nameColumn,
    column('Type', (object) => textAt(object, ['type'])),
    column('Data', (object) => sizeAt(object, ['data'])),
    ageColumn,
  ],
  serviceaccounts: [nameColumn, ageColumn],
  resourcequotas: [
    nameColumn,
    column('Request', quota('requests')),
    column('Limit', quota('limits')),
    ageColumn,
  ],
  'leases.coordination.k8s.io': [
    nameColumn,
    column('Holder', (object) => textAt(object, ['spec', 'holderIdentity'])),
    ageColumn,
  ],
  'priorityclasses.scheduling.k8s.io': [
    nameColumn,
    column('Value', (object) => numberAt(object, ['value']), { type: 'integer' }),
    column('Global-Default', (object) => fieldAt(object, ['globalDefault']) === true, { type: 'boolean' }),
    ageColumn,
    column('PreemptionPolicy', (object) => textAt(object, ['preemptionPolicy'])),
  ],
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhookColumns,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhookColumns,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingColumns,
  'rolebindings.rbac.authorization.k8s.io': bindingColumns,
};
