import { createHash } from 'node:crypto';
import type { Registry, ResourceType, ServedVersion } from '../api/registry.ts';

/** A resource or subresource of a group version. */
export interface ApiSubresource {
  name: string;
  kind: string;
  /** The kind, if it differs from that of the resource. */
  group?: string;
  version?: string;
  verbs: readonly string[];
}

export interface ApiResource {
  type: ResourceType;
  verbs: readonly string[];
  /** Only for stored resources. */
  storageVersionHash?: string;
  subresources: readonly ApiSubresource[];
}

export type Types = Pick<Registry, 'types'>;

const builtInVerbs: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const customVerbs: readonly string[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
const partVerbs: readonly string[] = ['get', 'patch', 'update'];

/** Groups in the order of a real cluster; others follow by name. */
const groupOrder: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
];

function rank(group: string): number {
  const at = groupOrder.indexOf(group);
  return at < 0 ? groupOrder.length : at;
}

/**
 * Stability, major and minor number of a version, for sorting: `v2` before `v1` before `v2beta1` before `v1alpha3`.
 */
function versionParts(version: string): readonly [number, number, number] {
  const [, major, stage, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [stage === undefined ? 3 : stage === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}

function byPreference(a: string, b: string): number {
  const left = versionParts(a);
  const right = versionParts(b);
  for (const index of [0, 1, 2] as const) if (left[index] !== right[index]) return right[index] - left[index];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The served groups in order. */
export function groupsOf(registry: Types): string[] {
  const groups = new Set(registry.types().map(({ group }) => group));
  return [...groups].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

/** The served versions of a group, preferred version first. */
export function versionsOf(registry: Types, group: string): string[] {
  const versions = new Set<string>();
  for (const type of registry.types())
    if (type.group === group) for (const version of type.versions.keys()) versions.add(version);
  return [...versions].sort(byPreference);
}

/** The hash by which clients detect a changed storage version. */
function storageVersionHash({ group, storageVersion, kind, storedAs }: ResourceType): string {
  // For the core group the name is empty, but the line remains.
  const apiVersion = storedAs === undefined ? `${group}/${storageVersion}` : `/${storedAs}`;
  const hash = createHash('sha256').update(`${apiVersion}/${kind}`).digest();
  return hash.subarray(0, 8).toString('base64');
}

function subresourcesOf(type: ResourceType, version: ServedVersion): ApiSubresource[] {
  const { kind } = type;
  const found: ApiSubresource[] = [];
  if (type.id === 'namespaces') found.push({ name: 'finalize', kind, verbs: ['update'] });
  if (type.id === 'pods')
    found.push(
      { name: 'binding', kind: 'Binding', verbs: ['create'] },
      { name: 'eviction', kind: 'Eviction', group: 'policy', version: 'v1', verbs: ['create'] },
      { name: 'ephemeralcontainers', kind, verbs: partVerbs },
      { name: 'resize', kind, verbs: partVerbs },
    );
  if (type.id === 'serviceaccounts')
    found.push({
      name: 'token',
      kind: 'TokenRequest',
      group: 'authentication.k8s.io',
      version: 'v1',
      verbs: ['create'],
    });
  if (version.hasStatus) found.push({ name: 'status', kind, verbs: partVerbs });
  if (version.scale !== undefined)
    found.push({ name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: partVerbs });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function verbsOf(type: ResourceType): readonly string[] {
  if (type.answer !== undefined) return ['create'];
  if (type.custom) return customVerbs;
  return type.id === 'namespaces' ? builtInVerbs.filter((verb) => verb !== 'deletecollection') : builtInVerbs;
}

/** The resources of a group version, sorted by name. */
export function resourcesOf(registry: Types, group: string, version: string): ApiResource[] {
  const found: ApiResource[] = [];
  for (const type of registry.types()) {
    const served = type.group === group ? type.versions.get(version) : undefined;
    if (served === undefined) continue;
    found.push({
      type,
      verbs: verbsOf(type),
      ...(type.answer === undefined ? { storageVersionHash: storageVersionHash(type) } : {}),
      subresources: subresourcesOf(type, served),
    });
  }
  return found;
}
