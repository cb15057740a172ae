import type { KubeObject } from '../../schemas/wire/object.ts';
import { inProcess, type UserInfo } from '../access/users.ts';
import { checkClaimResize } from '../admission/claimResize.ts';
import { checkRanges } from '../admission/limitRanges.ts';
import { chargeQuotas } from '../admission/quotas.ts';
import { withUpdate } from '../fields/manage.ts';
import { shapeOf } from '../kinds/shapes.ts';
import { enforcePolicies } from '../policies/enforce.ts';
import { isBound } from '../policies/invocations.ts';
import { mutateByPolicies, type ReadPatched } from '../policies/mutate.ts';
import { inRounds, type MutatingPlugin, type Round } from '../policies/rounds.ts';
import type { AdmittedWrite } from '../policies/write.ts';
import { isHooked } from '../webhooks/call.ts';
import { mutateByWebhooks } from '../webhooks/mutate.ts';
import { validateByWebhooks } from '../webhooks/validate.ts';
import { readBody, withDefaults } from './admit.ts';
import type { ApiContext } from './context.ts';
import type { RequestOptions } from './request.ts';
import type { ResourceType, Served } from './registry.ts';

const quotasId = 'resourcequotas';
const quotaUser = 'system:apiserver';

/** Who writes, and what webhooks have answered so far. */
export interface Asking extends Pick<RequestOptions, 'webhooks'> {
  user: string;
  requester: UserInfo | undefined;
}

type Describe = () => Omit<AdmittedWrite, 'requester'>;

function sourcesOf({ store, registry, authorizer, webhooks }: ApiContext, asking: Asking) {
  const { client, answers } = webhooks;
  return { related: store, registry, authorizer, client, answers: asking.webhooks ?? answers };
}

const completed =
  (describe: Describe, { user, requester }: Asking) =>
  (): AdmittedWrite => ({
    ...describe(),
    requester: requester ?? inProcess(user),
  });

/** The type of the body of a subresource that has a kind of its own, such as Scale. */
function bodyType({ type }: Served, { apiVersion, kind }: KubeObject): Served {
  const [group = '', version = ''] = apiVersion.split('/');
  const schema = shapeOf(group, version, kind);
  return {
    type: { ...type, group, kind, custom: false, rules: {} },
    version: { version, hasStatus: true, ...(schema === undefined ? {} : { schema }) },
  };
}

const readPatched: ReadPatched = (served, value, before, reading = {}) => {
  const own = before.kind === served.type.kind ? served : bodyType(served, before);
  return withDefaults(own, readBody(own, value, before, reading), undefined);
};

/**
 * Sends a write through the mutating policies and webhooks. `describe` is called only if there are any. Returns the
 * object in the version of the request, if they change it.
 */
export function mutated(context: ApiContext, asking: Asking, describe: Describe): KubeObject | undefined {
  const sources = sourcesOf(context, asking);
  const plugins: MutatingPlugin[] = [
    ...(isBound('mutating', sources)
      ? [(write: AdmittedWrite, round: Round) => mutateByPolicies(write, round, readPatched, sources)]
      : []),
    ...(isHooked('mutating', sources)
      ? [(write: AdmittedWrite, round: Round) => mutateByWebhooks(write, round, readPatched, sources)]
      : []),
  ];
  if (plugins.length === 0) return undefined;
  const write = completed(describe, asking)();
  const { object } = inRounds(write, plugins);
  return object === write.object ? undefined : object;
}

/**
 * Holds a valid write against the admission policies and the validating webhooks, which can refuse it. `describe` is
 * called only if there are any.
 */
export function admitByPolicies(context: ApiContext, asking: Asking, describe: Describe): void {
  const sources = sourcesOf(context, asking);
  enforcePolicies(completed(describe, asking), sources);
  validateByWebhooks(completed(describe, asking), sources);
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
