import type { KubeObject } from '../../schemas/wire/object.ts';
import { inProcess, type UserInfo } from '../access/users.ts';
import { checkClaimResize } from '../admission/claimResize.ts';
import { checkRanges } from '../admission/limitRanges.ts';
import { chargeQuotas } from '../admission/quotas.ts';
import { withUpdate } from '../fields/manage.ts';
import { enforcePolicies } from '../policies/enforce.ts';
import type { AdmittedWrite } from '../policies/write.ts';
import type { ApiContext } from './context.ts';
import type { ResourceType } from './registry.ts';

const quotasId = 'resourcequotas';
const quotaUser = 'system:apiserver';

/**
 * Holds a valid write against the admission policies, which can refuse it. `describe` is called only if there are
 * any.
 */
export function admitByPolicies(
  { store, registry, authorizer }: ApiContext,
  user: string,
  requester: UserInfo | undefined,
  describe: () => Omit<AdmittedWrite, 'requester'>,
): void {
  const sources = { related: store, registry, authorizer };
  enforcePolicies(() => ({ ...describe(), requester: requester ?? inProcess(user) }), sources);
}

/** Commits the quota usage of a write; called directly before the write. */
export type Charge = () => void;

const noCharge: Charge = () => {};

/**
 * Runs admission for a valid object: 403 if it violates a limit range, grows a claim whose class does not allow it, or exceeds a quota of its namespace. No quota
 * changes before the returned function is called.
 */
export function admit(
  context: ApiContext,
  type: ResourceType,
  object: KubeObject,
  update?: { before: KubeObject; subresource?: string | undefined },
): Charge {
  const { store, registry, clock } = context;
  const { namespace } = object.metadata;
  if (namespace === undefined) return noCharge;
  const ranges = store.list('limitranges', namespace);
  if (ranges.length > 0 && update?.before.metadata.deletionTimestamp === undefined)
    checkRanges(ranges, type, object, update);
  if (update !== undefined && type.id === 'persistentvolumeclaims')
    checkClaimResize(type, { object, before: update.before }, (name) =>
      store.read('storageclasses.storage.k8s.io', '', name),
    );
  const quotas = store.list(quotasId, namespace);
  if (quotas.length === 0) return noCharge;
  const changed = chargeQuotas(quotas, { type, object, ...update, now: clock.now() });
  if (changed.length === 0) return noCharge;
  return () => {
    const served = registry.serving({ group: '', version: 'v1', plural: quotasId });
    const writer = { manager: 'kube-apiserver', subresource: 'status', at: clock.now() };
    for (const quota of changed) {
      const current = store.read(quotasId, namespace, quota.metadata.name);
      const next = withUpdate(served, writer, quota, current);
      store.write({ user: quotaUser, resource: quotasId, object: next });
    }
  };
}
