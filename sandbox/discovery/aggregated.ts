import { groupsOf, resourcesOf, versionsOf, type ApiResource, type Types } from './resources.ts';

function entry(group: string, version: string, { type, verbs, subresources }: ApiResource): object {
  const { plural, kind, namespaced, singular, shortNames, categories } = type;
  return {
    resource: plural,
    // Servers leave group and version of kinds that are not stored empty here.
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

/** Everything served below `/api` (`core`) or `/apis` in one document. */
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
