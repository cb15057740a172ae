import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, groupResource, refuse, type FieldError } from '../api/errors.ts';
import type { Asker, ResourceType } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../store/value.ts';
import { shapeOf } from './shapes.ts';

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';
/** Everybody who has a token is an administrator. */
const groups = ['system:masters', 'system:authenticated'];

/** What every user of a cluster may ask of it, whoever he is. */
const openPaths = ['/healthz', '/livez', '/readyz', '/version', '/version/'];
const discoveryPaths = ['/api', '/api/*', '/apis', '/apis/*', '/openapi', '/openapi/*', ...openPaths].sort();

const resourceRules = [
  {
    verbs: ['create'],
    apiGroups: [authorization],
    resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
  },
  { verbs: ['create'], apiGroups: [authentication], resources: ['selfsubjectreviews'] },
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
];
const nonResourceRules = [
  { verbs: ['*'], nonResourceURLs: ['*'] },
  { verbs: ['get'], nonResourceURLs: discoveryPaths },
  { verbs: ['get'], nonResourceURLs: openPaths },
];

function specOf(question: KubeObject): Fields {
  return isFields(question['spec']) ? question['spec'] : {};
}

/** What is asked about: either a resource or a path. */
function checkSubject(question: KubeObject): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = specOf(question);
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const shown = {
      Path: fieldAt(nonResourceAttributes, ['path']) ?? '',
      Verb: fieldAt(nonResourceAttributes, ['verb']) ?? '',
    };
    const why = 'cannot be specified in combination with resourceAttributes';
    return [field.invalid('spec.nonResourceAttributes', shown, why)];
  }
  return resourceAttributes === undefined && nonResourceAttributes === undefined
    ? [
        field.invalid(
          'spec.resourceAttributes',
          null,
          'exactly one of nonResourceAttributes or resourceAttributes must be specified',
        ),
      ]
    : [];
}

/** Who is asked about, where it is not the asker himself. */
function checkUser(question: KubeObject): FieldError[] {
  const { user = '', groups: asked } = specOf(question);
  const named = user !== '' || (Array.isArray(asked) && asked.length > 0);
  return named ? [] : [field.invalid('spec.user', user, 'at least one of user or group must be specified')];
}

function checkNamespace(question: KubeObject): FieldError[] {
  const asked = fieldAt(question, ['spec', 'resourceAttributes', 'namespace']) ?? '';
  return asked === question.metadata.namespace
    ? []
    : [field.invalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace')];
}

/** A question has no name, no labels and nothing of the kind. */
function checkMetadata({ metadata }: KubeObject): FieldError[] {
  const { namespace: _namespace, managedFields: _managers, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? [] : [field.invalid('metadata', metadata, 'must be empty')];
}

type Check = (question: KubeObject) => FieldError[];

/** A question that is answered with yes, once it makes sense. */
function accessReview(...checks: readonly Check[]): NonNullable<ResourceType['answer']> {
  return (question) => {
    const errors = checks.flatMap((check) => check(question));
    if (errors.length > 0) throw refuse.invalid({ group: authorization, kind: '' }, '', errors);
    return { ...question, status: { allowed: true } };
  };
}

function rulesReview(question: KubeObject): KubeObject {
  if ((fieldAt(question, ['spec', 'namespace']) ?? '') === '')
    throw refuse.badRequest('no namespace on request');
  const status = { resourceRules, nonResourceRules, incomplete: false };
  return { ...bare(question), spec: {}, status };
}

function subjectReview(question: KubeObject, { user, at }: Asker): KubeObject {
  const metadata = { creationTimestamp: at } as KubeObject['metadata'];
  return { ...bare(question), metadata, status: { userInfo: { username: user, groups } } };
}

function bare({ apiVersion, kind }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata: {} as KubeObject['metadata'] };
}

function review(
  group: string,
  kind: string,
  namespaced: boolean,
  answer: NonNullable<ResourceType['answer']>,
): ResourceType {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const version = 'v1';
  const schema = shapeOf(group, version, kind);
  return {
    id: groupResource({ group, plural }),
    group,
    kind,
    plural,
    singular,
    shortNames: [],
    categories: [],
    namespaced,
    storageVersion: version,
    versions: new Map([
      [version, { version, hasStatus: false, ...(schema === undefined ? {} : { schema }) }],
    ]),
    custom: false,
    tracksGeneration: false,
    rules: {},
    answer,
  };
}

/** The kinds by which users ask who they are and what they may do. They may do everything. */
export function reviewTypes(): ResourceType[] {
  return [
    review(authentication, 'SelfSubjectReview', false, subjectReview),
    review(
      authorization,
      'LocalSubjectAccessReview',
      true,
      accessReview(checkSubject, checkUser, checkMetadata, checkNamespace),
    ),
    review(authorization, 'SelfSubjectAccessReview', false, accessReview(checkSubject, checkMetadata)),
    review(authorization, 'SelfSubjectRulesReview', false, rulesReview),
    review(authorization, 'SubjectAccessReview', false, accessReview(checkSubject, checkUser, checkMetadata)),
  ];
}
