import { shorten } from '../text/escape.ts';
import { define } from './definition.ts';
import { claimsLost } from './phrases.ts';

/** Names as a sentence has them: `web-4 to web-2 are`, `web-1 is`. */
function subject(names: string, count: number): string {
  return `${shorten(names, 200)} ${count === 1 ? 'is' : 'are'}`;
}

/** The units of one side of a move, as text and count. */
interface Named {
  names: string;
  count: number;
}

/** KR215x: fields that cannot change, and units with names of their own. */
export const ordinalCodes = {
  KR2150: define<{ field: string; from: string; to: string; object: string }>({
    title: 'Immutable field changed',
    severity: 'error',
    message: ({ field, from, to }) =>
      `${field} cannot change once the object exists: it is ${shorten(from, 80)}, and would be ${shorten(to, 80)}`,
    help: ({ object }) =>
      `keep the old value; or delete the object, and not its pods, before this is applied: kubectl delete ${object} --cascade=orphan`,
    about:
      'The field is immutable: the API server would refuse the update, and the commit would never reach the cluster. ' +
      'Pods carry what follows from it, such as their subdomain.',
    remedy:
      'Keep the old value. If it must change, a person deletes the object in the cluster with --cascade=orphan and applies it ' +
      'again: the new object adopts the pods and claims, and no container restarts. Pods keep what follows from the old value, ' +
      'such as their subdomain, until they are recreated. No plan gates that.',
  }),
  KR2151: define<{ target: string; leaving: Named; coming: Named; claims: Named }>({
    title: 'Ordinals move',
    severity: 'warning',
    message({ target, leaving, coming, claims }) {
      const created = coming.count === 0 ? '' : `${subject(coming.names, coming.count)} created, and `;
      const lost =
        claims.count === 0
          ? ''
          : `, and ${claimsLost({ claims: claims.count, pods: leaving.count, names: claims.names })}`;
      return `the ordinals of ${target} move: ${created}${subject(leaving.names, leaving.count)} deleted${lost}`;
    },
    help: ({ coming, claims }) =>
      claims.count > 0
        ? 'copy the data elsewhere first, or set persistentVolumeClaimRetentionPolicy.whenScaled to Retain'
        : coming.count > 0
          ? 'data does not move along: it stays in the claims of the old ordinals'
          : 'make sure that these pods are meant',
    about:
      'Another first ordinal, or other reservations, give the pods other names. No plan gates this: the new pods are created ' +
      'first, and start with claims of their own. Pods whose ordinal is no longer wanted are then deleted one at a time, once ' +
      'every wanted pod is available; in Auto without a plan, and with Parallel, all at once.',
    remedy:
      'Copy the data first if the new pods need it. To keep a pod, leave its ordinal unreserved and in range.',
  }),
  KR2152: define<{ target: string; leaving: Named }>({
    title: 'Scale-in while pods are updated',
    severity: 'warning',
    message: ({ target, leaving }) =>
      `${subject(leaving.names, leaving.count)} deleted while ${target} is updated: no step of the plan gates a scale-in`,
    help: () => 'scale in with a commit of its own, before or after the update',
    about:
      'Scaling in deletes the highest ordinals, which a rollout updates first. With Parallel these pods are deleted at once, ' +
      'beside those that are updated; with OrderedReady one after the other, before the first pod is updated. The sizes of the ' +
      'steps are of the lower number of replicas.',
    remedy: 'Scale in with a commit of its own, or make sure that the remaining pods carry the load.',
  }),
  KR2153: define<{ target: string; retained: Named }>({
    title: 'One broken pod stops the update',
    severity: 'warning',
    message: ({ target, retained }) =>
      `only one pod of ${target} may be unavailable: if ${retained.count === 1 ? 'the pod' : `one of the ${retained.count} pods`} that the partition retains is broken (${shorten(retained.names, 200)}), no pod is updated`,
    help: () => 'mend or delete a broken pod first, or lower the partition so that it gets the change',
    about:
      'A broken pod uses up the budget of unavailable pods. Under a plan a broken pod is updated before all others, so that it ' +
      'gets its fix. The partition keeps pods on the old revision, broken ones too: then the step fails after its time limit.',
    remedy:
      'Mend or delete the broken pod; a deleted one comes back on the old revision. Or lower the partition so that it gets the ' +
      'change, or let more pods be unavailable (needs podManagementPolicy Parallel).',
  }),
} as const;
