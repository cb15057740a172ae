import type { KubeObject } from '../../schemas/wire/object.ts';
import { refuse } from '../api/errors.ts';
import { textAt } from '../store/value.ts';
import type { Authorizer } from './authorizer.ts';
import { missingOf, rulesOf, type PolicyRule } from './rules.ts';
import { isAdministrator, type UserInfo } from './users.ts';

const group = 'rbac.authorization.k8s.io';

const everything: readonly PolicyRule[] = rulesOf([
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
]);

/** Whether writes of this resource can grant permissions. */
export function isGrant(type: { group: string; plural: string }): boolean {
  return type.group === group && /^(cluster)?role(binding)?s$/.test(type.plural);
}

/**
 * Prevents privilege escalation: 403 for a role with permissions that the writer does not have (unless the writer
 * may `escalate` it), and for a binding to a role that the writer may not `bind`.
 */
export function checkGrant(authorizer: Authorizer, user: UserInfo, plural: string, object: KubeObject): void {
  if (isAdministrator(user)) return;
  const { name, namespace = '' } = object.metadata;
  const isBinding = plural.endsWith('bindings');
  const may = (verb: string, resource: string, of: string) =>
    authorizer.authorize(user, { verb, group, resource, subresource: '', namespace, name: of }).allowed;
  let wanted: readonly PolicyRule[];
  if (isBinding) {
    const refKind = textAt(['roleRef', 'kind'])(object);
    const refName = textAt(['roleRef', 'name'])(object);
    if (may('bind', refKind === 'Role' ? 'roles' : 'clusterroles', refName)) return;
    const referred = authorizer.referred(object['roleRef'], namespace);
    if (referred === undefined) throw refuse.notFound({ group, plural }, refName);
    wanted = referred;
  } else {
    if (may('escalate', plural, name)) return;
    wanted = object['aggregationRule'] === undefined ? rulesOf(object['rules']) : everything;
  }
  const held = authorizer.rulesFor(user, namespace);
  const missing = missingOf(held.rules, wanted);
  if (missing.length === 0) return;
  const groups = `[${user.groups.map((each) => JSON.stringify(each)).join(' ')}]`;
  const reason =
    held.missing.length === 0
      ? ''
      : `; resolution errors: [${held.missing.map((each) => each.replace(/^(?:cluster)?role\b/, plural)).join(', ')}]`;
  throw refuse.forbidden(
    { group, plural },
    name,
    `user ${JSON.stringify(user.name)} (groups=${groups}) is attempting to grant RBAC permissions not currently held:\n${missing.join('\n')}${reason}`,
  );
}
