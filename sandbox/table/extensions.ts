import type { KubeObject } from '../../schemas/wire/object.ts';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import { ageColumn, column, listAt, nameColumn, textAt, textsAt, type Column } from './column.ts';

function counted(name: string, path: readonly string[]): Column {
  return column(name, (object) => listAt(object, path).length, { type: 'integer' });
}

function textOrNone(path: readonly string[]): (object: KubeObject) => string {
  return (object) => textAt(object, path) || '<none>';
}

/** A number, or `<none>`. */
function numberOrNone(name: string, path: readonly string[]): Column {
  return column(name, (object) => {
    const found = fieldAt(object, path);
    return typeof found === 'number' ? found : '<none>';
  });
}

function serviceOf(object: KubeObject): string {
  const service = fieldAt(object, ['spec', 'service']);
  return isFields(service) ? `${textAt(service, ['namespace'])}/${textAt(service, ['name'])}` : 'Local';
}

function conditionOf(object: KubeObject, type: string): Record<string, unknown> | undefined {
  return listAt(object, ['status', 'conditions'])
    .filter(isFields)
    .find((each) => each['type'] === type);
}

function availability(object: KubeObject): string {
  const { status, reason } = conditionOf(object, 'Available') ?? {};
  if (typeof status !== 'string') return 'Unknown';
  return status === 'False' ? `False (${typeof reason === 'string' ? reason : ''})` : status;
}

function paramKind(object: KubeObject): string {
  const kind = fieldAt(object, ['spec', 'paramKind']);
  return isFields(kind) ? `${textAt(kind, ['apiVersion'])}/${textAt(kind, ['kind'])}` : '<unset>';
}

function paramRef(object: KubeObject): string {
  const ref = fieldAt(object, ['spec', 'paramRef']);
  if (!isFields(ref)) return '<unset>';
  const name = textAt(ref, ['name']) || '*';
  const namespace = textAt(ref, ['namespace']);
  return namespace === '' ? name : `${namespace}/${name}`;
}

function signing(object: KubeObject): string {
  const types = ['Approved', 'Denied', 'Failed'].filter((type) => conditionOf(object, type) !== undefined);
  const issued = textAt(object, ['status', 'certificate']) === '' ? [] : ['Issued'];
  return types.length === 0 ? 'Pending' : [...types, ...issued].join(',');
}

function parentOf(object: KubeObject): string {
  const of = (name: string) => textAt(object, ['spec', 'parentRef', name]);
  const resource = of('group') === '' ? of('resource') : `${of('resource')}.${of('group')}`;
  return [resource, of('namespace'), of('name')].filter((part) => part !== '').join('/');
}

const limited = ['spec', 'limited'];
const queuing = [...limited, 'limitResponse', 'queuing'];
const webhooks: readonly Column[] = [nameColumn, counted('Webhooks', ['webhooks']), ageColumn];

export const extensionColumns: Readonly<Record<string, readonly Column[]>> = {
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': webhooks,
  'validatingadmissionpolicies.admissionregistration.k8s.io': [
    nameColumn,
    counted('Validations', ['spec', 'validations']),
    column('ParamKind', paramKind),
    ageColumn,
  ],
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': [
    nameColumn,
    column('PolicyName', (object) => textAt(object, ['spec', 'policyName'])),
    column('ParamRef', paramRef),
    ageColumn,
  ],
  'apiservices.apiregistration.k8s.io': [
    nameColumn,
    column('Service', serviceOf),
    column('Available', availability),
    ageColumn,
  ],
  'certificatesigningrequests.certificates.k8s.io': [
    nameColumn,
    ageColumn,
    column('SignerName', (object) => textAt(object, ['spec', 'signerName'])),
    column('Requestor', (object) => textAt(object, ['spec', 'username'])),
    column('RequestedDuration', (object) => {
      const seconds = fieldAt(object, ['spec', 'expirationSeconds']);
      return typeof seconds === 'number' ? `${seconds}s` : '<none>';
    }),
    column('Condition', signing),
  ],
  'flowschemas.flowcontrol.apiserver.k8s.io': [
    nameColumn,
    column('PriorityLevel', (object) => textAt(object, ['spec', 'priorityLevelConfiguration', 'name'])),
    numberOrNone('MatchingPrecedence', ['spec', 'matchingPrecedence']),
    column('DistinguisherMethod', textOrNone(['spec', 'distinguisherMethod', 'type'])),
    ageColumn,
    column('MissingPL', (object) => {
      const status = conditionOf(object, 'Dangling')?.['status'];
      return typeof status === 'string' ? status : '?';
    }),
  ],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': [
    nameColumn,
    column('Type', (object) => textAt(object, ['spec', 'type'])),
    numberOrNone('NominalConcurrencyShares', [...limited, 'nominalConcurrencyShares']),
    numberOrNone('Queues', [...queuing, 'queues']),
    numberOrNone('HandSize', [...queuing, 'handSize']),
    numberOrNone('QueueLengthLimit', [...queuing, 'queueLengthLimit']),
    ageColumn,
  ],
  'ipaddresses.networking.k8s.io': [nameColumn, column('ParentRef', parentOf)],
  'servicecidrs.networking.k8s.io': [
    nameColumn,
    column('CIDRs', (object) => textsAt(object, ['spec', 'cidrs']).join(',')),
    ageColumn,
  ],
};
