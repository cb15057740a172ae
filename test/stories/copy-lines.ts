import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { resourceDistributionKind } from '../../semantics/resourcedistribution/kind.ts';
import { compareCodePoints } from '../../semantics/values/canonical-json.ts';

/** The resource of what copies are made by, as commits name it. */
export const distributions = `${resources.ResourceDistribution.plural}.${resources.ResourceDistribution.group}`;

/** What ConfigMaps hold, and in which namespaces: `{"color":"red"} in ops, shop; {"color":"mine"} in tools, of another owner`. */
export function copiesText(all: Iterable<KubeObject>): string {
  const groups = new Map<string, string[]>();
  for (const object of all) {
    const owner = isCopy(object) ? '' : ', of another owner';
    const key = JSON.stringify([object['data'] ?? {}, owner]);
    groups.set(key, [...(groups.get(key) ?? []), object.metadata.namespace ?? '']);
  }
  const parts = [...groups]
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(([key, namespaces]) => {
      const [data, owner] = JSON.parse(key) as [object, string];
      return `${JSON.stringify(data)} in ${namespaces.sort(compareCodePoints).join(', ')}${owner}`;
    });
  return parts.length === 0 ? 'none' : parts.join('; ');
}

/** How far a ResourceDistribution is, by its status: `2 of 3 copies; ConflictOccurred: ops: the ConfigMap is there already`. */
export function distributionText(target: KubeObject): string {
  const { summary, problems } = resourceDistributionKind.facts.status;
  return [
    summary(target),
    ...problems(target).map(({ waitingOn, message }) => `${waitingOn}: ${message}`),
  ].join('; ');
}

/** The ConfigMaps at the end. */
export function copyTable(all: readonly KubeObject[]): string {
  const rows = [...all]
    .sort((a, b) => compareCodePoints(a.metadata.namespace ?? '', b.metadata.namespace ?? ''))
    .map((object) => {
      const { namespace = '', name, ownerReferences = [] } = object.metadata;
      const owner = ownerReferences.map(({ kind, name: of }) => `${kind} ${of}`).join(', ');
      return `| ${[namespace, name, JSON.stringify(object['data'] ?? {}), owner].join(' | ')} |`;
    });
  return [
    'The ConfigMaps at the end:',
    '',
    '| namespace | name | data | owner |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function isCopy({ metadata: { ownerReferences = [] } }: KubeObject): boolean {
  return ownerReferences.some(
    ({ kind, controller }) => kind === resources.ResourceDistribution.kind && controller === true,
  );
}
