import type { Cluster } from '../schemas/wire/cluster.ts';
import type { KubeObject } from '../schemas/wire/object.ts';
import { resources } from '../schemas/wire/resources.ts';
import { normalizeCloneSet } from '../semantics/cloneset/normalize.ts';
import { HOSTNAME } from '../semantics/pod/nodes.ts';

const PAGE = 500;

/**
 * What is not looked at where nodes may not be seen, as a clause; undefined: there is no CloneSet now that it matters to.
 * Asks for all CloneSets, in pages.
 */
export async function spreadUnseen(cluster: Cluster): Promise<string | undefined> {
  const names: string[] = [];
  let page: string | undefined;
  do {
    const { items, metadata } = await cluster.list(resources.CloneSet, {
      limit: PAGE,
      ...(page !== undefined && { continue: page }),
    });
    names.push(...items.filter(isSpread).map((each) => `${each.metadata.namespace}/${each.metadata.name}`));
    page = metadata.continue;
  } while (page !== undefined && page !== '');
  const [first] = names.sort();
  if (first === undefined) return undefined;
  const one = names.length === 1;
  const which = one ? `CloneSet ${first} is` : `${names.length} CloneSets, ${first} among them, are`;
  return `${which} scaled in by node alone, and the zones that ${one ? 'its' : 'their'} pods are spread over are not looked at`;
}

/** Over nodes pods are spread without a look at them: their names are enough. */
function isSpread(cloneSet: KubeObject): boolean {
  return normalizeCloneSet(cloneSet).spreadOver.some((key) => key !== HOSTNAME);
}
