import type { ResourceAttributes } from '../access/attributes.ts';
import type { Authorizer } from '../access/authorizer.ts';
import type { RelatedObjects } from '../api/registry.ts';
import {
  authorizerType,
  authorizerValue,
  resourceCheckType,
  resourceCheckValue,
} from '../schema/cel/functions/authorizer.ts';
import { jsonValue } from '../schema/cel/json.ts';
import {
  boolType,
  dynType,
  listType,
  mapType,
  opaqueType,
  stringType,
  type Type,
} from '../schema/cel/types.ts';
import type { Value } from '../schema/cel/values.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { kindOf, type AdmittedWrite } from './write.ts';

function struct(name: string, fields: Readonly<Record<string, Type>>): Type {
  return { kind: 'struct', name: `kubernetes.${name}`, params: [], fields: new Map(Object.entries(fields)) };
}

const texts = listType(stringType);
const kindType = struct('GroupVersionKind', { group: stringType, version: stringType, kind: stringType });
const resourceType = struct('GroupVersionResource', {
  group: stringType,
  version: stringType,
  resource: stringType,
});
const requestType = struct('AdmissionRequest', {
  kind: kindType,
  resource: resourceType,
  subResource: stringType,
  requestKind: kindType,
  requestResource: resourceType,
  requestSubResource: stringType,
  name: stringType,
  namespace: stringType,
  operation: stringType,
  userInfo: struct('UserInfo', {
    username: stringType,
    uid: stringType,
    groups: texts,
    extra: mapType(stringType, texts),
  }),
  dryRun: boolType,
  options: dynType,
});

const requestCheck = 'authorizer.requestResource';

/** What an expression can use beyond `object`, `oldObject`, `request` and `namespaceObject`. */
export interface Extent {
  params: boolean;
  authorizer: boolean;
  /** The fields of `variables`; undefined where expressions cannot use variables. */
  variables: ReadonlyMap<string, Type> | undefined;
  /** Whether it can construct objects and patches. */
  patches?: boolean;
}

/** The variables of the expressions of policies and of matchConditions, with their types. */
export function namesOf({ params, authorizer, variables }: Extent): ReadonlyMap<string, Type> {
  return new Map<string, Type>([
    ['object', dynType],
    ['oldObject', dynType],
    ['request', requestType],
    ['namespaceObject', dynType],
    ...(params ? [['params', dynType] as const] : []),
    ...(authorizer
      ? ([
          ['authorizer', opaqueType(authorizerType)],
          [requestCheck, opaqueType(resourceCheckType)],
        ] as const)
      : []),
    ...(variables === undefined
      ? []
      : [
          [
            'variables',
            { kind: 'struct', name: 'kubernetes.variables', params: [], fields: variables },
          ] as const,
        ]),
  ]);
}

const present = (value: string) => (value === '' ? undefined : value);

/** The value of `request`. `matched`: the write in the version that the rule named. */
export function requestOf(write: AdmittedWrite, matched: AdmittedWrite): object {
  const { requester, subresource } = write;
  const resourceOf = ({ served: { type, version } }: AdmittedWrite) => ({
    group: type.group,
    version: version.version,
    resource: type.plural,
  });
  const verb = { CREATE: 'Create', UPDATE: 'Update', DELETE: 'Delete', CONNECT: 'Get' }[write.operation];
  return {
    kind: kindOf(matched),
    resource: resourceOf(matched),
    subResource: subresource,
    requestKind: kindOf(write),
    requestResource: resourceOf(write),
    requestSubResource: subresource,
    name: present(write.name),
    namespace: present(write.namespace),
    operation: write.operation,
    userInfo: {
      username: requester.name,
      uid: requester.uid,
      groups: requester.groups,
      extra: requester.extra,
    },
    dryRun: write.dryRun,
    options: {
      kind: `${verb}Options`,
      apiVersion: 'meta.k8s.io/v1',
      dryRun: write.dryRun ? ['All'] : undefined,
      gracePeriodSeconds: write.gracePeriodSeconds,
    },
  };
}

/** The values of a write by the names of their variables, but for `params` and `variables`. */
export function valuesOf(
  write: AdmittedWrite,
  matched: AdmittedWrite,
  { related, authorizer }: { related: RelatedObjects; authorizer: Authorizer },
): Map<string, Value> {
  const { type } = write.served;
  const asker = { user: write.requester, authorizer };
  const asked: Omit<ResourceAttributes, 'verb'> = {
    group: type.group,
    resource: type.plural,
    subresource: write.subresource ?? '',
    namespace: write.namespace,
    name: write.name,
  };
  const namespace: KubeObject | undefined =
    type.id === 'namespaces' || write.namespace === ''
      ? undefined
      : related.read('namespaces', '', write.namespace);
  return new Map<string, Value>([
    ['object', jsonValue(matched.object)],
    ['oldObject', jsonValue(matched.before)],
    ['request', jsonValue(requestOf(write, matched))],
    ['namespaceObject', jsonValue(namespace)],
    ['authorizer', authorizerValue(asker)],
    [requestCheck, resourceCheckValue(asker, asked)],
  ]);
}
