import type { KubeObject } from '../../schemas/wire/object.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';
import type { Attributes } from './attributes.ts';
import { bootstrapBindings, bootstrapRoles } from './bootstrap.ts';
import { allows, rulesOf, type PolicyRule } from './rules.ts';
import { accountName, isAdministrator, type UserInfo } from './users.ts';

/** The source of roles and bindings. */
export interface RoleSource {
  read(id: string, namespace: string, name: string): KubeObject | undefined;
  list(id: string, namespace?: string): readonly KubeObject[];
}

export interface Verdict {
  allowed: boolean;
  /**
   * The binding that allows the request, or the role that a binding references and that does not exist; often
   * empty.
   */
  reason: string;
}

export interface Authorizer {
  authorize(user: UserInfo, asked: Attributes): Verdict;
  /**
   * Every rule that applies to the user in a namespace ('' for the whole cluster), and the referenced roles that do
   * not exist.
   */
  rulesFor(user: UserInfo, namespace: string): { rules: PolicyRule[]; missing: string[] };
  /** The rules of the role that a binding in this namespace references; undefined if the role does not exist. */
  referred(roleRef: unknown, namespace: string): readonly PolicyRule[] | undefined;
}

const group = 'rbac.authorization.k8s.io';
const ids = {
  role: `roles.${group}`,
  clusterRole: `clusterroles.${group}`,
  binding: `rolebindings.${group}`,
  clusterBinding: `clusterrolebindings.${group}`,
};

/** The subject of the binding that matches the user, as text; undefined if none matches. */
function subjectOf(binding: KubeObject, user: UserInfo): string | undefined {
  const subjects: unknown = binding['subjects'];
  if (!Array.isArray(subjects)) return undefined;
  for (const subject of subjects.filter(isFields)) {
    const name = textAt(['name'])(subject);
    switch (subject['kind']) {
      case 'User':
        if (user.name === name) return `User ${JSON.stringify(name)}`;
        break;
      case 'Group':
        if (user.groups.includes(name)) return `Group ${JSON.stringify(name)}`;
        break;
      case 'ServiceAccount': {
        const namespace = textAt(['namespace'])(subject) || (binding.metadata.namespace ?? '');
        if (user.name === accountName(namespace, name)) return `ServiceAccount "${name}/${namespace}"`;
        break;
      }
    }
  }
  return undefined;
}

/** Formats several errors like Go's aggregate errors. */
function aggregated(problems: readonly string[]): string {
  const once = [...new Set(problems)];
  return once.length > 1 ? `[${once.join(', ')}]` : (once[0] ?? '');
}

/** Authorizes by the stored roles and bindings at the time of the call, and by the bootstrap roles. */
export function createAuthorizer(source: RoleSource): Authorizer {
  function clusterBindings(): KubeObject[] {
    const stored = source.list(ids.clusterBinding);
    const names = new Set(stored.map(({ metadata }) => metadata.name));
    return [...bootstrapBindings.filter(({ metadata }) => !names.has(metadata.name)), ...stored];
  }

  function referred(roleRef: unknown, namespace: string): readonly PolicyRule[] | undefined {
    const name = textAt(['name'])(roleRef);
    const role =
      textAt(['kind'])(roleRef) === 'Role'
        ? source.read(ids.role, namespace, name)
        : (source.read(ids.clusterRole, '', name) ??
          bootstrapRoles.find(({ metadata }) => metadata.name === name));
    return role === undefined ? undefined : rulesOf(role['rules']);
  }

  /** Each binding that applies to the user, with its rules or the name of the missing role. */
  function* grants(user: UserInfo, namespace: string) {
    const own = namespace === '' ? [] : source.list(ids.binding, namespace);
    for (const binding of [...clusterBindings(), ...own]) {
      const subject = subjectOf(binding, user);
      if (subject === undefined) continue;
      const { kind, metadata } = binding;
      const roleKind = textAt(['roleRef', 'kind'])(binding);
      const roleName = textAt(['roleRef', 'name'])(binding);
      const rules = referred(binding['roleRef'], metadata.namespace ?? '');
      const place = metadata.namespace === undefined ? '' : `/${metadata.namespace}`;
      yield {
        rules: rules ?? [],
        missing:
          rules === undefined ? `${roleKind.toLowerCase()}.${group} "${roleName}" not found` : undefined,
        reason: `RBAC: allowed by ${kind} "${metadata.name}${place}" of ${roleKind} "${roleName}" to ${subject}`,
      };
    }
  }

  return {
    referred,
    authorize(user, asked) {
      if (isAdministrator(user)) return { allowed: true, reason: '' };
      const problems: string[] = [];
      for (const { rules, missing, reason } of grants(user, 'path' in asked ? '' : asked.namespace)) {
        if (rules.some((rule) => allows(rule, asked))) return { allowed: true, reason };
        if (missing !== undefined) problems.push(missing);
      }
      return { allowed: false, reason: problems.length === 0 ? '' : `RBAC: ${aggregated(problems)}` };
    },
    rulesFor(user, namespace) {
      const found = [...grants(user, namespace)];
      return {
        rules: found.flatMap(({ rules }) => rules),
        missing: found.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
      };
    },
  };
}
