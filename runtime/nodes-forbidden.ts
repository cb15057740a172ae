import type { Cluster } from '../schemas/wire/cluster.ts';
import type { Kind } from '../semantics/kinds/kind.ts';
import { needOf } from '../semantics/kinds/need.ts';

const PAGE = 500;

/**
 * What is ignored if the runtime may not list nodes, as a clause; undefined: no existing target is affected. Lists all
 * targets, in pages.
 */
export async function nodesForbiddenText(
  cluster: Cluster,
  kinds: readonly Kind[],
): Promise<string | undefined> {
  const clauses: string[] = [];
  for (const kind of kinds.filter(spreads)) {
    const names = await spread(cluster, kind);
    const [first] = names.sort();
    if (first === undefined) continue;
    const one = names.length === 1;
    const named = kind.resource.kind;
    const which = one ? `${named} ${first} is` : `${names.length} ${named}s, ${first} among them, are`;
    clauses.push(
      `${which} scaled in by node alone, and the zones of ${one ? 'its' : 'their'} pods are ignored`,
    );
  }
  return clauses.length === 0 ? undefined : clauses.join('; ');
}

function spreads({ uses }: Kind): boolean {
  return uses.some((use) => use.of === 'Nodes' && use.why === 'Spread');
}

async function spread(cluster: Cluster, kind: Kind): Promise<string[]> {
  const names: string[] = [];
  let page: string | undefined;
  do {
    const { items, metadata } = await cluster.list(kind.resource, {
      limit: PAGE,
      ...(page !== undefined && { continue: page }),
    });
    for (const each of items)
      if (needOf(kind.needs(each, [], []), 'Nodes')?.why === 'Spread')
        names.push([each.metadata.namespace ?? [], each.metadata.name].flat().join('/'));
    page = metadata.continue;
  } while (page !== undefined && page !== '');
  return names;
}
