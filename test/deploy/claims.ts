import type { VirtualClock } from 'kruise-sandbox/clock';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { instanceId } from '../../semantics/cloneset/pods.ts';
import { cloneSet } from '../runtime/stage.ts';

const namespace = 'shop';
const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };

/**
 * A CloneSet with claims that is scaled out and in, and meets a claim of another owner. Returns whether it has as many claims
 * as pods.
 */
export async function runClaims(admin: Cluster, clock: VirtualClock): Promise<boolean> {
  const own = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: storage }] };
  const db = await admin.create(resources.CloneSet, cloneSet('db', 'db:1', { ...own, replicas: 0 }));
  await admin.create(resources.PersistentVolumeClaim, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: `data-db-${instanceId(db.metadata.uid ?? '', 0)}`, namespace },
    spec: storage,
  });
  const claims = async () =>
    (await admin.list(resources.PersistentVolumeClaim, { namespace, labelSelector: 'app=db' })).items.length;
  const scale = async (replicas: number) => {
    const spec = { replicas };
    await admin.patch(resources.CloneSet, { namespace, name: 'db' }, { type: 'merge', body: { spec } });
    await clock.advance(60_000);
    return claims();
  };
  return (await scale(2)) === 2 && (await scale(0)) === 0;
}
