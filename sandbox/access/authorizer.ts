import type { KubeObject } from '../../schemas/wire/object.ts';
import { isFields, textAt } from '../store/value.ts';
import type { Attributes } from './attributes.ts';
import { bootstrapBindings, bootstrapRoles } from './bootstrap.ts';
import { allows, rulesOf, type PolicyRule } from './rules.ts';
import { accountName, isAdministrator, type UserInfo } from './users.ts';

/** What roles and bindings are looked up in. */
export interface RoleSource {
  read(id: string, namespace: string, name: string): KubeObject | undefined;
  list(id: string, namespace?: string): readonly KubeObject[];
}

export interface Verdict {
  allowed: boolean;
  /** Which binding allows it, or which role of a binding is not there; often empty. */
  reason: string;
}

export interface Authorizer {
  authorize(user: UserInfo, asked: Attributes): Verdict;
  /** Everything somebody may do in a namespace (or, of '', in the whole cluster), and which roles are not there. */
  rulesFor(user: UserInfo, namespace: string): { rules: PolicyRule[]; missing: string[] };
  /** The rules of the role that a binding in this namespace refers to; undefined where it is not there. */
  referred(roleRef: unknown, namespace: string): PolicyRule[] | undefined;
}

const group = 'rbac.authorization.k8s.io';
const ids = {
  role: `roles.${group}`,
  clusterRole: `clusterroles.${group}`,
  binding: `rolebindings.${group}`,
  clusterBinding: `clusterrolebindings.${group}`,
};

/** The subject of a binding that a user is, as words; undefined where he is none of them. */
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

/** Several refusals as one text, as Go's aggregates have it. */
function aggregated(problems: readonly string[]): string {
  const once = [...new Set(problems)];
  return once.length > 1 ? `[${once.join(', ')}]` : (once[0] ?? '');
}

/** Decides by the roles and bindings that are stored at that moment, and by those every cluster has. */
export function createAuthorizer(source: RoleSource): Authorizer {
  function clusterBindings(): KubeObject[] {
    const stored = source.list(ids.clusterBinding);
    const names = new Set(stored.map(({ metadata }) => metadata.name));
    return [...bootstrapBindings.filter(({ metadata }) => !names.has(metadata.name)), ...stored];
  }

  function referred(roleRef: unknown, namespace: string): PolicyRule[] | undefined {
    const name = textAt(['name'])(roleRef);
    const role =
      textAt(['kind'])(roleRef) === 'Role'
        ? source.read(ids.role, namespace, name)
        : (source.read(ids.clusterRole, '', name) ??
          bootstrapRoles.find(({ metadata }) => metadata.name === name));
    return role === undefined ? undefined : rulesOf(role['rules']);
  }

  /** Each binding that is about a user: its rules, or what is missing. */
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
