import type { Attributes, ResourceAttributes } from '../../../access/attributes.ts';
import type { Authorizer } from '../../../access/authorizer.ts';
import { accountGroups, accountName, everybody, type UserInfo } from '../../../access/users.ts';
import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import type { Opaque, Value } from '../values.ts';

/** Who asks, and who decides. */
interface Asker {
  user: UserInfo;
  authorizer: Authorizer;
}

const types = {
  authorizer: 'kubernetes.authorization.Authorizer',
  path: 'kubernetes.authorization.PathCheck',
  group: 'kubernetes.authorization.GroupCheck',
  resource: 'kubernetes.authorization.ResourceCheck',
  decision: 'kubernetes.authorization.Decision',
} as const;

export const authorizerType: string = types.authorizer;
export const resourceCheckType: string = types.resource;

const opaque = (name: string, data: unknown): Opaque => ({ kind: 'opaque', name, text: '', data });

/** The value of the variable `authorizer`. */
export const authorizerValue = (asker: Asker): Value => opaque(types.authorizer, asker);

/** The value of the variable `authorizer.requestResource`. */
export const resourceCheckValue = (asker: Asker, asked: Omit<ResourceAttributes, 'verb'>): Value =>
  opaque(types.resource, { asker, asked });

interface Check<Asked> {
  asker: Asker;
  asked: Asked;
}

type ResourceCheck = Check<Omit<ResourceAttributes, 'verb'>>;

const askerOf = ({ data }: Opaque) => data as Asker;
const checkOf = ({ data }: Opaque) => data as ResourceCheck;
const decisionOf = ({ data }: Opaque) => data as ReturnType<Authorizer['authorize']>;

function decide({ asker: { user, authorizer } }: { asker: Asker }, asked: Attributes): Opaque {
  return opaque(types.decision, authorizer.authorize(user, asked));
}

/** A resource check with one attribute replaced. */
const narrowed = (field: 'subresource' | 'namespace' | 'name') => (check: Opaque, value: string) => {
  const { asker, asked } = checkOf(check);
  return opaque(types.resource, { asker, asked: { ...asked, [field]: value } });
};

function pathCheck(own: Opaque, path: string): Opaque {
  if (path === '') throw new EvaluationFault('path must not be empty');
  return opaque(types.path, { asker: askerOf(own), asked: path } satisfies Check<string>);
}

function accountOf(own: Opaque, namespace: string, name: string): Opaque {
  const groups = [...accountGroups(namespace), everybody];
  return opaque(types.authorizer, { ...askerOf(own), user: { name: accountName(namespace, name), groups } });
}

/** The functions of admission policies that ask whether somebody may do something. */
export const authorizers: Readonly<Record<string, readonly Form[]>> = {
  path: [[`${types.authorizer}.(string) ${types.path}`, pathCheck]],
  group: [
    [
      `${types.authorizer}.(string) ${types.group}`,
      (own: Opaque, group: string) => opaque(types.group, { asker: askerOf(own), asked: group }),
    ],
  ],
  serviceAccount: [[`${types.authorizer}.(string, string) ${types.authorizer}`, accountOf]],
  resource: [
    [
      `${types.group}.(string) ${types.resource}`,
      ({ data }: Opaque, resource: string) => {
        const { asker, asked: group } = data as Check<string>;
        const asked = { group, resource, subresource: '', namespace: '', name: '' };
        return opaque(types.resource, { asker, asked });
      },
    ],
  ],
  subresource: [[`${types.resource}.(string) ${types.resource}`, narrowed('subresource')]],
  namespace: [[`${types.resource}.(string) ${types.resource}`, narrowed('namespace')]],
  name: [[`${types.resource}.(string) ${types.resource}`, narrowed('name')]],
  check: [
    [
      `${types.path}.(string) ${types.decision}`,
      ({ data }: Opaque, verb: string) => {
        const check = data as Check<string>;
        return decide(check, { verb, path: check.asked });
      },
    ],
    [
      `${types.resource}.(string) ${types.decision}`,
      (own: Opaque, verb: string) => decide(checkOf(own), { verb, ...checkOf(own).asked }),
    ],
  ],
  allowed: [[`${types.decision}.() bool`, (own: Opaque) => decisionOf(own).allowed]],
  reason: [[`${types.decision}.() string`, (own: Opaque) => decisionOf(own).reason]],
  errored: [[`${types.decision}.() bool`, () => false]],
  error: [[`${types.decision}.() string`, () => '']],
};
