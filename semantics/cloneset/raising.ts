import type { JsonObject } from '../../schemas/wire/json.ts';
import { otherFieldsRow, type Raising, withEntry } from '../kinds/raising.ts';
import { withPullPolicies } from '../template/pull-policy.ts';
import { SHORT_HASH_LABEL } from '../pod/types.ts';
import { intOrPercentOf, objectOf } from '../values/read.ts';
import { type IntOrPercent, scaleIntOrPercent } from '../values/int-or-percent.ts';

/** The deadline that a Deployment has by default, seconds. */
const DEADLINE = 600;

/** A Deployment as a CloneSet (OpenKruise cloneset, section 12): counts of pods are the same, their names and labels are not. */
export const cloneSetRaising: Raising = {
  from: { kind: 'Deployment' },
  to: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet' },
  stays: [
    otherFieldsRow([
      'replicas',
      'selector',
      'template',
      'strategy',
      'minReadySeconds',
      'revisionHistoryLimit',
      'paused',
      'progressDeadlineSeconds',
    ]),
    {
      what: 'strategy.type Recreate',
      instead: 'pods of both templates would run beside each other',
      applies: ({ strategy }) => objectOf(strategy)['type'] === 'Recreate',
    },
    {
      what: 'paused',
      instead: 'a CloneSet that is paused scales its pods of both templates in another way',
      applies: ({ paused }) => paused === true,
    },
    {
      what: 'maxUnavailable in percent without maxSurge',
      instead: 'a Deployment rounds it down, and a CloneSet up: write a number',
      applies: ({ strategy }) => {
        const { maxUnavailable, maxSurge } = limitsOf(objectOf(strategy));
        return typeof maxUnavailable === 'string' && scaleIntOrPercent(maxSurge, 100, 'up') === 0;
      },
    },
    {
      what: `a pod template or selector that names ${SHORT_HASH_LABEL}`,
      instead: 'pods of a CloneSet have no such label',
      applies: ({ template, selector }) =>
        JSON.stringify([template ?? null, selector ?? null]).includes(SHORT_HASH_LABEL),
    },
  ],
  won: [
    'images change in place, with updateStrategy.type InPlaceIfPossible',
    'an update stops at a partition, and has an order',
    'a plan in git gates each change: steps, soaks, checks and approvals',
    'claims of each pod, hooks, and pods that are named at scale-in',
  ],
  spec(spec) {
    const limits = limitsOf(objectOf(spec['strategy']));
    const updateStrategy: JsonObject = { ...limits };
    const { progressDeadlineSeconds = DEADLINE, template, ...others } = spec;
    const { strategy, ...rest } = others;
    // The template is last, as it is long.
    return {
      ...withEntry({ ...rest, ...(strategy !== undefined && { strategy }) }, 'strategy', [
        'updateStrategy',
        updateStrategy,
      ]),
      progressDeadlineSeconds,
      template: withPullPolicies(objectOf(template)),
    };
  },
};

function limitsOf(strategy: JsonObject): { maxUnavailable: IntOrPercent; maxSurge: IntOrPercent } {
  const { maxUnavailable, maxSurge } = objectOf(strategy['rollingUpdate']);
  return {
    maxUnavailable: intOrPercentOf(maxUnavailable) ?? '25%',
    maxSurge: intOrPercentOf(maxSurge) ?? '25%',
  };
}
