import type { VirtualClock } from 'kruise-sandbox';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

const namespace = 'shop';
const MINUTE = 60_000;

/** A copy of each kind is made, reverted after an edit, and deleted once it is wanted elsewhere. Returns whether all of that was done. */
export async function runCopies(admin: Cluster, clock: VirtualClock, withSecrets: boolean): Promise<boolean> {
  const done: boolean[] = [];
  for (const kind of ['ConfigMap', ...(withSecrets ? ['Secret'] : [])] as const) {
    const name = `copied-${kind.toLowerCase()}`;
    const resource = kind === 'Secret' ? resources.Secret : resources.ConfigMap;
    const value = kind === 'Secret' ? 'cmVk' : 'red';
    const read = async (): Promise<unknown> =>
      (await admin.list(resource, { namespace, fieldSelector: `metadata.name=${name}` })).items[0]?.['data'];
    await admin.create(resources.ResourceDistribution, {
      apiVersion: 'apps.kruise.io/v1beta1',
      kind: 'ResourceDistribution',
      metadata: { name },
      spec: {
        resource: { apiVersion: 'v1', kind, metadata: { name }, data: { color: value } },
        targets: { includedNamespaces: { list: [{ name: namespace }] } },
      },
    });
    await clock.advance(MINUTE);
    const body = { data: { color: null, other: value } };
    await admin.patch(resource, { namespace, name }, { type: 'merge', body });
    await clock.advance(MINUTE);
    done.push(JSON.stringify(await read()) === JSON.stringify({ color: value }));
    const targets = {
      includedNamespaces: null,
      allNamespaces: true,
      excludedNamespaces: { list: [{ name: namespace }] },
    };
    await admin.patch(
      resources.ResourceDistribution,
      { name },
      { type: 'merge', body: { spec: { targets } } },
    );
    await clock.advance(MINUTE);
    done.push((await read()) === undefined);
  }
  return done.every(Boolean);
}
