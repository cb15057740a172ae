import type { Resource } from '../wire/cluster.ts';
import { crdFacts, type CrdNames } from './crds.ts';
import type { SchemaFile } from './schema.ts';

/** The resources of the definition in a file, at the storage version; none if it does not contain a kind. */
function resourcesOf(file: SchemaFile): Resource[] {
  const facts = crdFacts(file);
  const stored = facts?.versions.find(({ storage }) => storage);
  if (facts === undefined || stored === undefined) return [];
  const { group, scope, names, clusterNames } = facts;
  const resource = ({ plural, kind }: CrdNames, namespaced: boolean): Resource => ({
    group,
    version: stored.name,
    plural,
    kind,
    namespaced,
  });
  return [
    resource(names, scope === 'Namespaced'),
    ...(clusterNames === undefined ? [] : [resource(clusterNames, false)]),
  ];
}

/** The names beside kind and plural under which the kinds of a file are known, as a member of a literal; none where it holds none. */
function namesOf(file: SchemaFile): string[] {
  const facts = crdFacts(file);
  if (facts === undefined) return [];
  const { group, names, clusterNames } = facts;
  return [names, ...(clusterNames === undefined ? [] : [clusterNames])].map(
    ({ kind, plural, singular = kind.toLowerCase(), shortNames = [] }) =>
      `'${plural}.${group}': ${JSON.stringify([singular, ...shortNames])},`,
  );
}

/** The module that lists the resources by kind. */
export function resourcesFile(files: readonly SchemaFile[], header: string): string {
  const all = files.flatMap(resourcesOf).sort((a, b) => (a.kind < b.kind ? -1 : 1));
  const members = all.map((resource) => `${resource.kind}: ${JSON.stringify(resource)},`);
  return [
    `// ${header}`,
    `import type { Resource } from '../wire/cluster.ts';`,
    '',
    `/** The resources of this project's definitions, by kind, at the version that is stored. */`,
    'export const customResources = {',
    ...members,
    '} as const satisfies Record<string, Resource>;',
    '',
    '/** What they are called besides, by `PLURAL.GROUP`: the singular and the short names. */',
    'export const otherNames: Readonly<Record<string, readonly string[]>> = {',
    ...files.flatMap(namesOf).sort(),
    '};',
    '',
  ].join('\n');
}
