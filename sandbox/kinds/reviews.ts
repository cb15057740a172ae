import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Attributes } from '../access/attributes.ts';
import type { PolicyRule } from '../access/rules.ts';
import type { UserInfo } from '../access/users.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { groupResource, refuse } from '../api/errors.ts';
import type { Requester, ResourceType } from '../api/registry.ts';
import { fieldAt, isFields, type Fields } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';
import { shapeOf } from './shapes.ts';

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';
function specOf(question: KubeObject): Fields {
  return isFields(question['spec']) ? question['spec'] : {};
}

/** The attributes of a review: of a resource or a path. */
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

/** The user of a review, if it is not the requester. */
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

/** A review must not have metadata such as a name or labels. */
function checkMetadata({ metadata }: KubeObject): FieldError[] {
  const { namespace: _namespace, managedFields: _managers, ...rest } = metadata;
  return Object.keys(rest).length === 0 ? [] : [field.invalid('metadata', metadata, 'must be empty')];
}

type Check = (question: KubeObject) => FieldError[];

/** The user of a review: the requester, or the user in its spec. */
type Subject = (question: KubeObject, requester: Requester) => UserInfo;

const isSelfReview: Subject = (_question, { user }) => user;

const ofQuestion: Subject = (question) => {
  const { groups: named, uid } = specOf(question);
  return {
    name: textAt(['spec', 'user'])(question),
    groups: Array.isArray(named) ? named.map(String) : [],
    ...(typeof uid === 'string' ? { uid } : {}),
  };
};

/** The attributes of the review as an authorization request. */
function askedFor(question: KubeObject): Attributes {
  const { resourceAttributes, nonResourceAttributes } = specOf(question);
  if (resourceAttributes === undefined)
    return { verb: textAt(['verb'])(nonResourceAttributes), path: textAt(['path'])(nonResourceAttributes) };
  const of = (name: string) => textAt([name])(resourceAttributes);
  return {
    verb: of('verb'),
    group: of('group'),
    resource: of('resource'),
    subresource: of('subresource'),
    namespace: of('namespace'),
    name: of('name'),
  };
}

/** A review with an allowed/denied response. */
function accessReview(subject: Subject, ...checks: readonly Check[]): NonNullable<ResourceType['answer']> {
  return (question, requester) => {
    const errors = checks.flatMap((check) => check(question));
    if (errors.length > 0) throw refuse.invalid({ group: authorization, kind: '' }, '', errors);
    const { allowed, reason } = requester.authorizer.authorize(
      subject(question, requester),
      askedFor(question),
    );
    return { ...question, status: { allowed, ...(reason === '' ? {} : { reason }) } };
  };
}

/** A rule in the response, without empty lists. */
function ruleText(rule: PolicyRule): Partial<PolicyRule> {
  return Object.fromEntries(Object.entries(rule).filter(([, list]: [string, unknown[]]) => list.length > 0));
}

function rulesReview(question: KubeObject, { user, authorizer }: Requester): KubeObject {
  const namespace = textAt(['spec', 'namespace'])(question);
  if (namespace === '') throw refuse.badRequest('no namespace on request');
  const { rules, missing } = authorizer.rulesFor(user, namespace);
  const isPath = ({ nonResourceURLs }: PolicyRule) => nonResourceURLs.length > 0;
  const status = {
    resourceRules: rules.filter((rule) => !isPath(rule)).map(ruleText),
    nonResourceRules: rules.filter(isPath).map(ruleText),
    incomplete: false,
    ...(missing.length === 0 ? {} : { evaluationError: missing.join(', ') }),
  };
  return { ...bare(question), spec: {}, status };
}

function subjectReview(question: KubeObject, { user, at }: Requester): KubeObject {
  const metadata = { creationTimestamp: at } as KubeObject['metadata'];
  const { name, uid, groups, extra } = user;
  const userInfo = {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    groups,
    ...(extra === undefined ? {} : { extra }),
  };
  return { ...bare(question), metadata, status: { userInfo } };
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

/** Review kinds: SelfSubjectReview, SubjectAccessReview and similar. */
export function reviewTypes(): ResourceType[] {
  return [
    review(authentication, 'SelfSubjectReview', false, subjectReview),
    review(
      authorization,
      'LocalSubjectAccessReview',
      true,
      accessReview(ofQuestion, checkSubject, checkUser, checkMetadata, checkNamespace),
    ),
    review(
      authorization,
      'SelfSubjectAccessReview',
      false,
      accessReview(isSelfReview, checkSubject, checkMetadata),
    ),
    review(authorization, 'SelfSubjectRulesReview', false, rulesReview),
    review(
      authorization,
      'SubjectAccessReview',
      false,
      accessReview(ofQuestion, checkSubject, checkUser, checkMetadata),
    ),
  ];
}
