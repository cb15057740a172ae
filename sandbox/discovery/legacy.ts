import { apiVersionOf } from '../api/registry.ts';
import { groupsOf, resourcesOf, versionsOf, type ApiResource, type Types } from './resources.ts';

/** `/api`: the versions of the core group. `address` is the server address as the client sees it. */
export function coreVersions(registry: Types, address: string): object {
  return {
    kind: 'APIVersions',
    versions: versionsOf(registry, ''),
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

function groupEntry(registry: Types, group: string): object | undefined {
  const versions = versionsOf(registry, group).map((version) => ({
    groupVersion: apiVersionOf(group, version),
    version,
  }));
  const [preferredVersion] = versions;
  return preferredVersion === undefined ? undefined : { name: group, versions, preferredVersion };
}

/** `/apis`: every group but the core. */
export function groupList(registry: Types): object {
  const groups = groupsOf(registry)
    .filter((group) => group !== '')
    .flatMap((group) => groupEntry(registry, group) ?? []);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** `/apis/GROUP`, or undefined when there is no such group. */
export function groupDocument(registry: Types, group: string): object | undefined {
  const entry = group === '' ? undefined : groupEntry(registry, group);
  return entry === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...entry };
}

function entries({ type, verbs, storageVersionHash, subresources }: ApiResource): object[] {
  const { plural, singular, namespaced, kind, shortNames, categories } = type;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs,
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
      ...(storageVersionHash === undefined ? {} : { storageVersionHash }),
    },
    ...subresources.map((part) => ({
      name: `${plural}/${part.name}`,
      singularName: '',
      namespaced,
      ...(part.group === undefined ? {} : { group: part.group, version: part.version }),
      kind: part.kind,
      verbs: part.verbs,
    })),
  ];
}

/** `/api/v1` and `/apis/GROUP/VERSION`, or undefined when nothing is served there. */
export function resourceList(registry: Types, group: string, version: string): object | undefined {
  const found = resourcesOf(registry, group, version);
  if (found.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf(group, version),
    resources: found.flatMap(entries),
  };
}
