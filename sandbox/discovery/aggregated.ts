import { groupsOf, resourcesOf, versionsOf, type ApiResource, type Types } from './resources.ts';

function entry(group: string, version: string, { type, verbs, subresources }: ApiResource): object {
  const { plural, kind, namespaced, singular, shortNames, categories } = type;
  return {
    resource: plural,
    // The API server leaves group and version empty for kinds that are not stored.
    responseKind: type.answer === undefined ? { group, version, kind } : { group: '', version: '', kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((part) => ({
            subresource: part.name,
            responseKind: { group: part.group ?? group, version: part.version ?? version, kind: part.kind },
            verbs: part.verbs,
          })),
        }),
  };
}

/** Aggregated discovery of `/api` (`core`) or `/apis`. */
export function groupDiscovery(registry: Types, root: 'core' | 'named', version: 'v2' | 'v2beta1'): object {
  const groups = groupsOf(registry).filter((group) => (group === '') === (root === 'core'));
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => ({
      metadata: group === '' ? {} : { name: group },
      versions: versionsOf(registry, group).map((each) => ({
        version: each,
        resources: resourcesOf(registry, group, each).map((resource) => entry(group, each, resource)),
        freshness: 'Current',
      })),
    })),
  };
}
