import { otherFieldsRow, type Raising } from '../kinds/raising.ts';

/** A DaemonSet of Kubernetes as that of OpenKruise (OpenKruise advanced-daemonset, section 12): the fields are at the same paths. */
export const daemonSetRaising: Raising = {
  from: { kind: 'DaemonSet' },
  to: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'DaemonSet' },
  stays: [
    otherFieldsRow(['selector', 'template', 'updateStrategy', 'minReadySeconds', 'revisionHistoryLimit']),
  ],
  won: [
    'images change in place, with rollingUpdateType InPlaceIfPossible',
    'an update stops at a partition, and takes the nodes of a selector',
    'a plan in git gates each change: steps, soaks, checks and approvals',
    'hooks before a pod goes',
  ],
  spec: (spec) => spec,
};
