import {
  ADMISSION_NAME,
  admissionConfiguration,
  disruptionConfiguration,
} from '../../runtime/admit/configuration.ts';
import { createReviews } from '../../runtime/admit/reviews.ts';
import type { Review } from '../../runtime/admit/serve.ts';
import { type AdmissionCaches, requiredBy } from '../../runtime/admit/sources.ts';
import { admittingBy } from '../../semantics/kinds/admitting.ts';
import { unusable } from '../../semantics/kinds/unusable.ts';
import type { ApiServer, WebhookClient, World } from 'kruise-sandbox';
import type { Clock } from '../../schemas/wire/clock.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Policy } from '../../semantics/policy.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { RUNTIME_ACCOUNT, STATE_NAMESPACE } from '../../semantics/values/system-namespaces.ts';

/** The host of the address under which the admission of this process is asked. No other host may have such a name. */
const HOST = 'admission.kruise.invalid';
/** The account of the runtime, as in an installation: the shipped policies let no other one act. */
export const RUNTIME_USER = `system:serviceaccount:${STATE_NAMESPACE}:${RUNTIME_ACCOUNT}`;
const configurations = (plural: string) => ({ group: 'admissionregistration.k8s.io', version: 'v1', plural });

/** Answers the reviews of this process's own admission, and passes all others on. */
export function withOwnAdmission(
  others: WebhookClient,
  world: () => Pick<World, 'server' | 'cluster'>,
  clock: Clock,
  policy: Policy = 'Required',
): WebhookClient {
  let reviews: ReadonlyMap<string, Review> | undefined;
  return (target, review) => {
    if (target.host !== HOST) return others(target, review);
    reviews ??= createReviews({
      kinds,
      caches: storedIn(world().server, clock, policy),
      cluster: world().cluster(RUNTIME_USER),
      clock,
      random: () => 0.5,
      accounts: [RUNTIME_USER],
      onReviewed() {},
      onDisruption() {},
      onUnrecorded() {},
    });
    const answered = reviews.get(target.path.split('?')[0] ?? '')?.(review as Parameters<Review>[0]);
    return answered instanceof Promise ? answered.then((body) => ({ body })) : { body: answered };
  };
}

/** Creates the configurations of the admission, unless a restored state has them. */
export function createAdmission(server: ApiServer): void {
  const clientOf = (path: string): object => ({ url: `https://${HOST}${path}` });
  const asked = admittingBy(kinds, []);
  create(server, 'mutatingwebhookconfigurations', admissionConfiguration(clientOf, [], asked));
  const validating = disruptionConfiguration(clientOf, [], asked);
  if (validating !== undefined) create(server, 'validatingwebhookconfigurations', validating);
}

function create(server: ApiServer, plural: string, configuration: KubeObject): void {
  const resource = configurations(plural);
  if (found(() => server.get(RUNTIME_USER, resource, { name: ADMISSION_NAME })) !== undefined) return;
  server.create(RUNTIME_USER, resource, configuration);
}

/** Everything is read as it is stored at the time of the review. */
function storedIn(
  server: ApiServer,
  clock: Clock,
  policy: Policy,
): Pick<AdmissionCaches, 'pending' | 'sources' | 'objects' | 'isEnding'> {
  const namespaceOf = (name: string): KubeObject | undefined =>
    found(() => server.get(RUNTIME_USER, resources.Namespace, { name }));
  return {
    pending: undefined,
    sources: () => ({
      injectors: podInjectors,
      now: clock.now(),
      sets: ({ resource }) => server.list(RUNTIME_USER, resource).items,
      revisions: () => server.list(RUNTIME_USER, resources.ControllerRevision).items,
      namespace: (name) => ({ name, labels: namespaceOf(name)?.metadata.labels }),
      isRequired: requiredBy(policy, () => server.list(RUNTIME_USER, resources.Namespace).items),
    }),
    objects: (kind, namespace) =>
      server
        .list(RUNTIME_USER, kind.resource, kind.resource.namespaced ? { namespace } : {})
        .items.filter((object) => unusable(kind, object) === undefined),
    isEnding: (name) => namespaceOf(name)?.metadata.deletionTimestamp !== undefined,
  };
}

function found(read: () => KubeObject): KubeObject | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 404) return undefined;
    throw error;
  }
}
