import { isPlanned, type Kind } from '../kinds/kind.ts';
import type { GroupKind } from '../owner.ts';
import { PARENTS } from './contents.ts';

/**
 * When `Cascading` refuses a deletion: while `spec.replicas` is above 0, or while something is in the object, which it does not show
 * itself. `Never`: the value protects nothing there, as in OpenKruise.
 */
export type Cascading = 'Replicas' | 'Children' | 'Never';

/** A resource whose objects the label protects; with `Always`, every one of them. */
export interface ProtectedResource {
  group: string;
  plural: string;
  namespaced: boolean;
  cascading: Cascading;
}

/**
 * The resources of Kubernetes, as kubectl names them, beside those that others are in. The last five have no protection in OpenKruise;
 * a policy that reads nothing but the object protects them at no cost. Whatever `kruise build` makes is among them.
 */
const OF_KUBERNETES: Readonly<Record<string, Exclude<Cascading, 'Children'>>> = {
  'deployments.apps': 'Replicas',
  'statefulsets.apps': 'Replicas',
  'replicasets.apps': 'Replicas',
  services: 'Never',
  'ingresses.networking.k8s.io': 'Never',
  'daemonsets.apps': 'Never',
  'jobs.batch': 'Never',
  'cronjobs.batch': 'Never',
  persistentvolumeclaims: 'Never',
  configmaps: 'Never',
};

const BUILT_IN: readonly ProtectedResource[] = [
  ...PARENTS.map(({ resource: { group, plural, namespaced } }) => ({
    group,
    plural,
    namespaced,
    cascading: 'Children' as const,
  })),
  ...Object.entries(OF_KUBERNETES).map(([name, cascading]) => {
    const [plural = '', ...group] = name.split('.');
    return { group: group.join('.'), plural, namespaced: true, cascading };
  }),
];

/** Every resource that the label protects: those of Kubernetes, and those of these kinds. */
export function protectedResources(kinds: readonly Kind[]): ProtectedResource[] {
  return [...BUILT_IN, ...kinds.map(ofKind)];
}

/** What protects objects of this kind, in any version; undefined: nothing. */
export function protectedResourceOf(
  kinds: readonly Kind[],
  { group, kind }: GroupKind,
): ProtectedResource | undefined {
  const own = kinds.find(({ id }) => id.group === group && id.kind === kind);
  if (own !== undefined) return ofKind(own);
  const plural = pluralOf(kind);
  return BUILT_IN.find((each) => each.group === group && each.plural === plural);
}

/** The name of a resource as kubectl has it: `deployments.apps`. */
export function resourceName({ group, plural }: Pick<ProtectedResource, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The plural that Kubernetes guesses for a kind. All of its own have that one. */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  return name.endsWith('s') ? `${name}es` : `${name}s`;
}

function ofKind(kind: Kind): ProtectedResource {
  const { group, plural, namespaced } = kind.resource;
  return { group, plural, namespaced, cascading: cascadingOf(kind) };
}

/** A kind has `spec.replicas` if its targets have a number of pods in git. */
function cascadingOf(kind: Kind): Cascading {
  if (!isPlanned(kind)) return 'Never';
  const { group, version } = kind.resource;
  const empty = { apiVersion: `${group}/${version}`, kind: kind.id.kind, metadata: { name: '' }, spec: {} };
  switch (kind.git.read(empty).units.of) {
    case 'replicas':
    case 'subsets':
      return 'Replicas';
    case 'nodes':
    case 'selected':
    case 'run':
    case 'ticks':
      return 'Never';
  }
}
