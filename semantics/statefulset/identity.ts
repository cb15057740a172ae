import type { PatchAction } from '../decision.ts';
import { withResourceVersion } from '../pod/in-place.ts';
import { identityLabels, POD_NAME_LABEL } from './pods.ts';
import type { Layout } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/**
 * Repairs the labels of pods that are not labelled with their own name, so that a Service can select each alone (OpenKruise
 * advanced-statefulset, rule 6.3 step 8). An adopted pod may lack them, and a user may have changed them.
 */
export function repairIdentity({ target }: StatefulSetView, { slots }: Layout): PatchAction[] {
  return slots.flatMap(({ pod, ordinal, name }): PatchAction[] => {
    if (pod === undefined || pod.metadata.labels?.[POD_NAME_LABEL] === name) return [];
    return [
      {
        do: 'patch',
        kind: 'Pod',
        verb: 'label',
        name,
        body: withResourceVersion(pod, { metadata: { labels: identityLabels({ ordinal, name }) } }),
        reason: `its label ${POD_NAME_LABEL} is not its name`,
        event: {
          type: 'Normal',
          reason: 'SuccessfulUpdate',
          message: `update Pod ${name} in StatefulSet ${target.metadata.name} successful`,
        },
      },
    ];
  });
}
