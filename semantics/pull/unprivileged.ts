import type { JsonObject } from '../../schemas/wire/json.ts';

/** The user `nobody`, in whatever image: nothing of it is run. */
const NOBODY = 65_534;

/** What a pod may do that only pulls images: nothing. Its namespace may be `restricted`. */
export const UNPRIVILEGED_POD: JsonObject = {
  terminationGracePeriodSeconds: 1,
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  securityContext: {
    runAsNonRoot: true,
    runAsUser: NOBODY,
    runAsGroup: NOBODY,
    seccompProfile: { type: 'RuntimeDefault' },
  },
};

/** The same of its containers. */
export const UNPRIVILEGED_CONTAINER: JsonObject = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};
