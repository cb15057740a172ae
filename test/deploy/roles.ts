import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Component } from '../../semantics/kinds/need.ts';

export interface Rule {
  apiGroups: string[];
  resources: string[];
  resourceNames?: string[];
  verbs: string[];
}

export type Role = KubeObject & { rules: Rule[] };

const file = (path: string): KubeObject[] =>
  parseAllDocuments(
    readFileSync(fileURLToPath(new URL(`../../deploy/${path}`, import.meta.url)), 'utf8'),
  ).map((document) => document.toJS() as KubeObject);

/** The components of deploy/ that add rights of the runtime, and are off as shipped: all that overlays/full has. */
export const COMPONENTS = ['launch-everywhere', 'native-workloads', 'secrets', 'container-exec'] as const;

/** Roles and bindings of the runtime for all namespaces: as shipped, and of these components. */
export function clusterWide(...components: readonly Component[]): KubeObject[] {
  return [...base(), ...(['distributions', ...components] as const).flatMap(component)];
}

/** Roles and bindings of the runtime for all namespaces, without any component. */
export function base(): KubeObject[] {
  return file('rbac/runtime.yaml');
}

/** The role and the binding that a component adds. */
export function component(name: Component): KubeObject[] {
  return file(`components/${name}/rbac.yaml`);
}

/** The binding by which the containers of pods start in an order in a namespace, as in docs/install.md. */
export function launchIn(namespace: string): KubeObject {
  const [binding] = file('components/launch-everywhere/rbac.yaml') as [KubeObject];
  return { ...binding, kind: 'RoleBinding', metadata: { ...binding.metadata, namespace } };
}

/** Roles and bindings of the runtime for one namespace, as kustomize makes them for it, with its components. */
export function namespaced(namespace: string): KubeObject[] {
  const own = ['role.yaml', 'native-workloads/role.yaml'];
  const paths = own.map((path) => `overlays/namespaced/${path}`);
  const text = JSON.stringify(paths.flatMap(file));
  return JSON.parse(
    text.replaceAll('kruise-system', namespace).replaceAll('kruise-NAMESPACE', `kruise-${namespace}`),
  ) as KubeObject[];
}

/** The policy that enforces budgets on others than the runtime, and its binding. */
export function budgetPolicy(): KubeObject[] {
  return file('components/budget-protection/policy.yaml');
}

/** The policy that checks who sends a command, and its binding. */
export function commandPolicy(): KubeObject[] {
  return file('policy/commands.yaml');
}

export const isRole = (object: KubeObject): object is Role => Array.isArray(object['rules']);

/** One verb on one resource, as one role has it. */
export interface Permission {
  role: string;
  rule: number;
  resource: string;
  verb: string;
}

export function permissionsOf(objects: readonly KubeObject[]): Permission[] {
  return objects.filter(isRole).flatMap(({ metadata, rules }) =>
    rules.flatMap(({ resources, verbs, resourceNames }, rule) =>
      resources.flatMap((resource) =>
        (resourceNames ?? ['']).flatMap((name) =>
          verbs.map((verb) => ({
            role: metadata.name,
            rule,
            resource: name === '' ? resource : `${resource}/${name}`,
            verb,
          })),
        ),
      ),
    ),
  );
}

/** The objects without that one permission; a rule that grants nothing any more is gone. */
export function without(
  objects: readonly KubeObject[],
  { role, rule, resource, verb }: Permission,
): KubeObject[] {
  return objects.map((object) => {
    if (!isRole(object) || object.metadata.name !== role) return object;
    const rules = object.rules.flatMap((each, index): Rule[] => {
      if (index !== rule) return [each];
      const { resources, resourceNames, verbs } = each;
      if (resources.length !== 1) throw new Error(`rule ${index} of ${role} is about several resources`);
      const name = resourceNames?.find((known) => resource === `${resources[0]}/${known}`);
      const others = resourceNames?.filter((known) => known !== name) ?? [];
      // Of the name, all but this verb; of the other names, everything.
      const rest = verbs.filter((known) => known !== verb);
      return [
        ...(rest.length === 0
          ? []
          : [{ ...each, verbs: rest, ...(name === undefined ? {} : { resourceNames: [name] }) }]),
        ...(others.length === 0 ? [] : [{ ...each, resourceNames: others }]),
      ];
    });
    return { ...object, rules };
  });
}
