import { ADMISSION_NAME, admissionConfiguration } from '../../runtime/admit/configuration.ts';
import { reviewPod } from '../../runtime/admit/review.ts';
import type { ApiServer, WebhookClient } from 'kruise-sandbox';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { podInjectors } from '../../semantics/registry/pod-injectors.ts';

/** The host of the address under which the admission of this process is asked. No other host may have such a name. */
const HOST = 'admission.kruise.invalid';
const USER = 'kruise';
const CONFIGURATIONS = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
};

/** Answers the reviews of this process's own admission, and passes all others on. */
export function withOwnAdmission(
  others: WebhookClient,
  server: () => ApiServer,
  now: () => number,
): WebhookClient {
  return (target, review) =>
    target.host === HOST
      ? { body: reviewPod(review, { ...sourcesIn(server()), injectors: podInjectors, now: now() }) }
      : others(target, review);
}

/** Creates the configuration of the admission, unless a restored state has it. */
export function createAdmission(server: ApiServer): void {
  const configuration = admissionConfiguration({ url: `https://${HOST}/pods` }, []);
  if (found(() => server.get(USER, CONFIGURATIONS, { name: ADMISSION_NAME })) !== undefined) return;
  server.create(USER, CONFIGURATIONS, configuration);
}

/** Everything is read as it is stored at the time of the review. */
function sourcesIn(
  server: ApiServer,
): Pick<Parameters<typeof reviewPod>[1], 'sets' | 'revisions' | 'namespace'> {
  return {
    sets: ({ resource }) => server.list(USER, resource).items,
    revisions: () => server.list(USER, resources.ControllerRevision).items,
    namespace: (name) => ({
      name,
      labels: found(() => server.get(USER, resources.Namespace, { name }))?.metadata.labels,
    }),
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
