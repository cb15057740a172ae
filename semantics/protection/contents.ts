import type { Resource } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { isActive } from '../pod/readiness.ts';
import type { Pod } from '../pod/types.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';

/** The uid of the object for which somebody has looked what is in it: of an exported copy it is another one. */
export const OBSERVED_ANNOTATION = 'plan.kruise.io/protection-observed';

/** What is in it, as names of resources; without it nothing is. */
export const CHILDREN_ANNOTATION = 'plan.kruise.io/protected-children';

/** Objects that keep another one from being deleted. */
export interface ChildSource {
  resource: Resource;
  /** Undefined: all of them. */
  namespace: string | undefined;
  /** Whether an object of the resource counts. */
  counts(child: KubeObject): boolean;
}

/** A resource whose objects have others in them, which only a watch shows (OpenKruise deletion-protection, section 2). */
export interface Parent {
  resource: Resource;
  sources(parent: KubeObject): readonly ChildSource[];
}

const { Namespace, CustomResourceDefinition, Pod, PersistentVolumeClaim } = resources;

export const PARENTS: readonly Parent[] = [
  {
    resource: Namespace,
    sources: ({ metadata: { name } }) => [
      { resource: Pod, namespace: name, counts: (pod) => isActive(pod as Pod) },
      { resource: PersistentVolumeClaim, namespace: name, counts: isBound },
    ],
  },
  {
    resource: CustomResourceDefinition,
    sources: (definition) => [{ ...objectsOf(definition), counts: isThere }],
  },
];

/** The resources that are known beforehand, of those that count. */
export const COUNTED: readonly Resource[] = [Pod, PersistentVolumeClaim];

function isThere({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp === undefined;
}

function isBound(claim: KubeObject): boolean {
  return isThere(claim) && objectOf(claim['status'])['phase'] === 'Bound';
}

/** The objects of a definition, in the version that is stored. If that one is not served, they cannot be listed. */
function objectsOf(definition: KubeObject): Pick<ChildSource, 'resource' | 'namespace'> {
  const spec = objectOf(definition['spec']);
  const names = objectOf(spec['names']);
  const stored = listOf(spec['versions']).find(({ storage }) => storage === true) ?? {};
  const resource = {
    group: textOf(spec['group']),
    version: textOf(stored['name']),
    plural: textOf(names['plural']),
    kind: textOf(names['kind']),
    namespaced: spec['scope'] === 'Namespaced',
  };
  return { resource, namespace: undefined };
}

/**
 * The annotations that a protected object is to have.
 *
 * @param present the names of the resources of which something is in it; undefined: that is not known, and its deletion is refused
 */
export function protectionFact(uid: string, present: readonly string[] | undefined): Record<string, string> {
  if (present === undefined) return {};
  const children = [...present].sort().join(', ');
  return { [OBSERVED_ANNOTATION]: uid, ...(children !== '' && { [CHILDREN_ANNOTATION]: children }) };
}

/** The same of an object as it is. */
export function recordedFact({ metadata }: KubeObject): Record<string, string> {
  const all = Object.entries(metadata.annotations ?? {});
  return Object.fromEntries(
    all.filter(([key]) => key === OBSERVED_ANNOTATION || key === CHILDREN_ANNOTATION),
  );
}
